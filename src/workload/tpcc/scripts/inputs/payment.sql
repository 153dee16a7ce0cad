\set w_id @home@
\set d_id random(1, 10)
\set x random(1, 100)
\set c_d_id CASE WHEN :x <= 85 THEN :d_id ELSE random(1, 10) END
\set c_w_id CASE WHEN :x <= 85 OR @warehouses@ = 1 THEN :w_id ELSE @other@ END
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
