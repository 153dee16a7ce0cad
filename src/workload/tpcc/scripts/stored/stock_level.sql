SELECT tpcc_stock_level(:w_id, :d_id, :threshold);
