\set w_id @home@
\set d_id random(1, 10)
\set c_id @customer@
\set lines random(5, 15)
