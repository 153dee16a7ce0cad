DECLARE
    order_id int;
    customer_id int;
    amount numeric;
    delivered_at timestamp := localtimestamp;
BEGIN
    delivered := 0;
    FOR district_id IN 1 .. 10 LOOP
        -- If another delivery takes this order first, the next one is locked instead.
        SELECT no_o_id INTO order_id FROM {new_order} WHERE no_w_id = warehouse_id AND no_d_id = district_id
         ORDER BY no_o_id LIMIT 1 FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        DELETE FROM {new_order} WHERE no_w_id = warehouse_id AND no_d_id = district_id AND no_o_id = order_id;
        UPDATE {orders} SET o_carrier_id = carrier_id
         WHERE o_w_id = warehouse_id AND o_d_id = district_id AND o_id = order_id
        RETURNING o_c_id INTO STRICT customer_id;
        WITH line AS (
            UPDATE {order_line} SET ol_delivery_d = delivered_at
             WHERE ol_w_id = warehouse_id AND ol_d_id = district_id AND ol_o_id = order_id
            RETURNING ol_amount
        ) SELECT sum(ol_amount) INTO amount FROM line;
        UPDATE {customer} SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
         WHERE c_w_id = warehouse_id AND c_d_id = district_id AND c_id = customer_id;
        delivered := delivered + 1;
    END LOOP;
END
