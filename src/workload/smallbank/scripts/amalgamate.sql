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
SELECT bal AS savings FROM savings WHERE custid = :from_id \gset
SELECT bal AS checking FROM checking WHERE custid = :from_id \gset
UPDATE savings SET bal = 0 WHERE custid = :from_id;
UPDATE checking SET bal = 0 WHERE custid = :from_id;
UPDATE checking SET bal = bal + :savings::numeric + :checking::numeric WHERE custid = :to_id;
COMMIT;
