\set customer @customer@
\set name concat('customer ', :customer)
BEGIN;
SELECT custid FROM accounts WHERE name = :'name' \gset
UPDATE checking SET bal = bal + 1.30 WHERE custid = :custid;
COMMIT;
