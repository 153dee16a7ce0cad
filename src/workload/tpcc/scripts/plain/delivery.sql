BEGIN;
\set d_id 0
\while :d_id < 10
\set d_id :d_id + 1
\set no_o_id 0
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id AND no_o_id = :no_o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :no_o_id RETURNING o_c_id \gset
UPDATE order_line SET ol_delivery_d = localtimestamp WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :no_o_id;
SELECT sum(ol_amount) AS amount FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :no_o_id \gset
UPDATE customer SET c_balance = c_balance + :amount, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :o_c_id;
\endif
\endwhile
COMMIT;
