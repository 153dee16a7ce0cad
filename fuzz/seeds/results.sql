SELECT 1 AS x, 2 AS i \gset
SELECT :x AS d \gset p_
\; SELECT 3 \; SELECT 4 AS x \; \aset q_
\startpipeline
SELECT :p_d;
\syncpipeline
SELECT 2;
\endpipeline
