SELECT * FROM tpcc_payment(:w_id, :d_id, :c_w_id, :c_d_id, :c_id, :'c_last', :amount);
