BEGIN;
\if :by_name
SELECT c_id FROM (SELECT c_id, row_number() OVER (ORDER BY c_first) AS place, count(*) OVER () AS customers FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_last = :'c_last') AS named WHERE place = (customers + 1) / 2 \gset
\endif
SELECT c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id \gset
\set o_id 0
SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_c_id = :c_id ORDER BY o_id DESC LIMIT 1 \aset
\if :o_id > 0
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id;
\endif
COMMIT;
