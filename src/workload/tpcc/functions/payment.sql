DECLARE
    warehouse_name text;
    district_name text;
    named int[];
BEGIN
    paid := localtimestamp;
    IF customer_id = 0 THEN
        named := ARRAY(
            SELECT c_id FROM {customer}
             WHERE c_w_id = customer_warehouse AND c_d_id = customer_district AND c_last = customer_name ORDER BY c_first);
        customer_id := named[(cardinality(named) + 1) / 2];
    END IF;
    UPDATE {warehouse} SET w_ytd = w_ytd + amount WHERE w_id = warehouse_id
    RETURNING w_name INTO STRICT warehouse_name;
    UPDATE {district} SET d_ytd = d_ytd + amount WHERE d_w_id = warehouse_id AND d_id = district_id
    RETURNING d_name INTO STRICT district_name;
    UPDATE {customer}
       SET c_balance = c_balance - amount,
           c_ytd_payment = c_ytd_payment + amount,
           c_payment_cnt = c_payment_cnt + 1,
           c_data = CASE
               WHEN c_credit = 'BC' THEN left(c_id::text || ' ' || c_d_id::text || ' ' || c_w_id::text || ' ' || district_id::text || ' ' || warehouse_id::text || ' ' || amount::text || ' ' || c_data, 500)
               ELSE c_data END
     WHERE c_w_id = customer_warehouse AND c_d_id = customer_district AND c_id = customer_id
    RETURNING c_first, c_last, c_credit, c_credit_lim, c_discount, c_balance, CASE WHEN c_credit = 'BC' THEN left(c_data, 200) END
      INTO STRICT first_name, last_name, credit, credit_limit, discount, balance, bad_credit;
    INSERT INTO {history} (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (customer_id, customer_district, customer_warehouse, district_id, warehouse_id, paid, amount,
            concat(warehouse_name, '    ', district_name));
END
