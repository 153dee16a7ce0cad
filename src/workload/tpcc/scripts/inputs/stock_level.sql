\set w_id @home@
\set d_id random(1, 10)
\set threshold random(10, 20)
