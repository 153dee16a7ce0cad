\set n 1
\set items concat('{', @item@)
\set supplier :w_id
\if @remote@
\set supplier @other@
\endif
\set suppliers concat('{', :supplier)
\set quantities concat('{', random(1, 10))
\while :n < :lines
\set n :n + 1
\set items concat(:items, ',', @item@)
\set supplier :w_id
\if @remote@
\set supplier @other@
\endif
\set suppliers concat(:suppliers, ',', :supplier)
\set quantities concat(:quantities, ',', random(1, 10))
\endwhile
\set items concat(:items, '}')
\set suppliers concat(:suppliers, '}')
\set quantities concat(:quantities, '}')
BEGIN;
SELECT * FROM tpcc_new_order(:w_id, :d_id, :c_id, :'items', :'suppliers', :'quantities') \gset
\if :order_id > 0
COMMIT;
\else
ROLLBACK;
\endif
