\set x 1 + 2 * 3
\set y (:x - -1) / 2.5
\set z case when :x = 7 then 1 end
