SELECT count(*) AS left_over FROM orders WHERE o_orderkey = (SELECT min(o_orderkey) FROM refresh_orders) \gset
BEGIN;
\if :left_over > 0
DELETE FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM refresh_orders);
DELETE FROM orders WHERE o_orderkey IN (SELECT o_orderkey FROM refresh_orders);
\endif
INSERT INTO orders SELECT * FROM refresh_orders;
INSERT INTO lineitem SELECT * FROM refresh_lineitem;
COMMIT;
