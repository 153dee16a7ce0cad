BEGIN;
SELECT d_next_o_id FROM district WHERE d_w_id = :w_id AND d_id = :d_id \gset
SELECT count(*) FROM (SELECT DISTINCT ol_i_id FROM (SELECT ol_i_id FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id >= :d_next_o_id - 20 AND ol_o_id < :d_next_o_id LIMIT 300) AS line) AS sold JOIN stock ON s_w_id = :w_id AND s_i_id = ol_i_id AND s_quantity < :threshold;
COMMIT;
