DECLARE
    named int[];
BEGIN
    IF customer_id = 0 THEN
        named := ARRAY(
            SELECT c_id FROM {customer}
             WHERE c_w_id = warehouse_id AND c_d_id = district_id AND c_last = customer_name ORDER BY c_first);
        customer_id := named[(cardinality(named) + 1) / 2];
    END IF;
    SELECT c_first, c_last, c_balance INTO STRICT first_name, last_name, balance
      FROM {customer} WHERE c_w_id = warehouse_id AND c_d_id = district_id AND c_id = customer_id;
    -- Without an order there are no lines.
    SELECT o_id, o_entry_d, o_carrier_id INTO order_id, entered_at, carrier_id
      FROM {orders} WHERE o_w_id = warehouse_id AND o_d_id = district_id AND o_c_id = customer_id
     ORDER BY o_id DESC LIMIT 1;
    FOR item, supplier, quantity, amount, delivered_at IN
        SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
          FROM {order_line} WHERE ol_w_id = warehouse_id AND ol_d_id = district_id AND ol_o_id = order_id
    LOOP
        RETURN NEXT;
    END LOOP;
END
