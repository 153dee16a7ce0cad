\set w_id @home@
\set d_id @district@
\set threshold random(10, 20)
