SELECT tpcc_delivery(:w_id, :carrier);
