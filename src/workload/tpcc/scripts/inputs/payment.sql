\set w_id @home@
\set d_id random(1, 10)
\set c_d_id :d_id
\set c_w_id :w_id
\if random(1, 100) > 85
\set c_d_id random(1, 10)
\if @warehouses@ > 1
\set c_w_id @other@
\endif
\endif
\set by_name random(1, 100) <= 60
\if :by_name
\set c_id 0
\set name @name@
\set c_last concat(choose(:name / 100 + 1, @syllables@), choose(:name / 10 % 10 + 1, @syllables@), choose(:name % 10 + 1, @syllables@))
\else
\set c_id @customer@
\set c_last ''
\endif
\set amount random(100, 500000) / 100.0
