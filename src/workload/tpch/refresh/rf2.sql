BEGIN;
DELETE FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM refresh_orders);
DELETE FROM orders WHERE o_orderkey IN (SELECT o_orderkey FROM refresh_orders);
COMMIT;
