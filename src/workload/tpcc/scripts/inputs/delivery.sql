\set w_id @home@
\set carrier random(1, 10)
