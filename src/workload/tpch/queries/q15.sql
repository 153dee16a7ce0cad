WITH revenue (supplier_no, total_revenue) AS (
       SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount))
         FROM lineitem
        WHERE l_shipdate >= date :'date'
          AND l_shipdate < date :'date' + interval '3 months'
        GROUP BY l_suppkey)
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
  FROM supplier, revenue
 WHERE s_suppkey = supplier_no
   AND total_revenue = (SELECT max(total_revenue) FROM revenue)
 ORDER BY s_suppkey;
