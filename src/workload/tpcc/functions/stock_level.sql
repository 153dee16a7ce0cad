DECLARE
    next_order int;
BEGIN
    SELECT d_next_o_id INTO STRICT next_order FROM {district} WHERE d_w_id = warehouse_id AND d_id = district_id;
    -- Twenty orders have at most 300 lines. The limit cuts nothing: it is for the planner, which would expect a part of
    -- all lines, and read all of stock.
    SELECT count(*) INTO low
      FROM (SELECT DISTINCT ol_i_id
              FROM (SELECT ol_i_id FROM {order_line}
                     WHERE ol_w_id = warehouse_id AND ol_d_id = district_id AND ol_o_id >= next_order - 20 AND ol_o_id < next_order
                     LIMIT 300) AS line) AS sold
      JOIN {stock} ON s_w_id = warehouse_id AND s_i_id = ol_i_id AND s_quantity < threshold;
END
