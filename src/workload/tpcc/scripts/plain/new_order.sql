\set dd choose(:d_id, '01', '02', '03', '04', '05', '06', '07', '08', '09', '10')
\set n 0
\set remote 0
\while :n < :lines
\set n :n + 1
\set remote CASE WHEN @remote@ THEN :remote | (1 << :n) ELSE :remote END
\endwhile
\set all_local CASE WHEN :remote = 0 THEN 1 ELSE 0 END
BEGIN;
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = :w_id AND c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id \gset
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w_id AND d_id = :d_id RETURNING d_next_o_id - 1 AS o_id, d_tax \gset
INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (:o_id, :d_id, :w_id, :c_id, localtimestamp, :lines, :all_local);
INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (:o_id, :d_id, :w_id);
\set n 0
\while :n < :lines
\set n :n + 1
\set i_id @item@
\set is_remote (:remote >> :n) & 1
\set s_w_id :w_id
\if :is_remote
\set s_w_id @other@
\endif
\set quantity random(1, 10)
\set i_price -1
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id \aset
\if :i_price > 0
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + :is_remote WHERE s_w_id = :s_w_id AND s_i_id = :i_id RETURNING s_quantity, s_data, s_dist_:dd AS s_dist \gset
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (:o_id, :d_id, :w_id, :n, :i_id, :s_w_id, :quantity, :i_price::numeric * :quantity::int, :'s_dist');
\endif
\endwhile
\if :i_price > 0
COMMIT;
\else
ROLLBACK;
\endif
