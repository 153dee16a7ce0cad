\set from @customer@
\set to @customer@
\while :to = :from
\set to @customer@
\endwhile
\set from_name concat('customer ', :from)
\set to_name concat('customer ', :to)
BEGIN;
SELECT custid AS from_id FROM accounts WHERE name = :'from_name' \gset
SELECT custid AS to_id FROM accounts WHERE name = :'to_name' \gset
SELECT bal AS checking FROM checking WHERE custid = :from_id \gset
\if :checking < 5.00
ROLLBACK;
\else
UPDATE checking SET bal = bal - 5.00 WHERE custid = :from_id;
UPDATE checking SET bal = bal + 5.00 WHERE custid = :to_id;
COMMIT;
\endif
