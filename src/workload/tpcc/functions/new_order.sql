DECLARE
    lines_found bigint;
BEGIN
    entered := localtimestamp;
    SELECT c_last, c_credit, c_discount, w_tax
      INTO STRICT last_name, credit, discount, warehouse_tax
      FROM {customer}, {warehouse}
     WHERE w_id = warehouse_id AND c_w_id = warehouse_id AND c_d_id = district_id AND c_id = customer_id;
    UPDATE {district} SET d_next_o_id = d_next_o_id + 1
     WHERE d_w_id = warehouse_id AND d_id = district_id
    RETURNING d_next_o_id - 1, d_tax INTO STRICT order_id, district_tax;
    INSERT INTO {orders} (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, district_id, warehouse_id, customer_id, entered, cardinality(items),
            (warehouse_id = ALL (suppliers))::int);
    INSERT INTO {new_order} (no_o_id, no_d_id, no_w_id) VALUES (order_id, district_id, warehouse_id);
    -- Two lines may be of the same item, whose row an UPDATE changes only once: so it takes their quantities together.
    -- All transactions update stock in the same order, so that they do not wait for each other in a circle.
    WITH line AS (
        SELECT l.number, l.item, l.supplier, l.quantity
          FROM unnest(items, suppliers, quantities) WITH ORDINALITY AS l (item, supplier, quantity, number)
    ), wanted AS (
        SELECT supplier, item, count(*) AS lines, sum(quantity) AS quantity, array_agg(quantity ORDER BY number) AS quantities
          FROM line GROUP BY supplier, item ORDER BY supplier, item
    ), taken AS (
        UPDATE {stock}
           SET s_quantity = CASE
                   WHEN wanted.lines > 1 THEN {tpcc_stock_after}(s_quantity, wanted.quantities)
                   WHEN s_quantity >= wanted.quantity + 10 THEN s_quantity - wanted.quantity
                   ELSE s_quantity - wanted.quantity + 91 END,
               s_ytd = s_ytd + wanted.quantity,
               s_order_cnt = s_order_cnt + wanted.lines,
               s_remote_cnt = s_remote_cnt + CASE WHEN s_w_id <> warehouse_id THEN wanted.lines ELSE 0 END
          FROM wanted WHERE s_w_id = wanted.supplier AND s_i_id = wanted.item
        RETURNING s_w_id, s_i_id, s_data,
            CASE district_id
                WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
                WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10
            END AS information
    ), priced AS (
        SELECT number, item, supplier, quantity, i_price * quantity AS amount, information,
               CASE WHEN i_data LIKE '%ORIGINAL%' AND s_data LIKE '%ORIGINAL%' THEN 'B' ELSE 'G' END AS brand
          FROM line JOIN {item} ON i_id = item JOIN taken ON s_w_id = supplier AND s_i_id = item
    ), added AS (
        INSERT INTO {order_line}
            (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
        SELECT order_id, district_id, warehouse_id, number, item, supplier, quantity, amount, information FROM priced
    )
    SELECT count(*), sum(amount) * (1 - discount) * (1 + warehouse_tax + district_tax), string_agg(brand, '' ORDER BY number)
      INTO lines_found, total, brands FROM priced;
    IF lines_found < cardinality(items) THEN
        order_id := 0;
    END IF;
END
