\set customer @customer@
\set name concat('customer ', :customer)
BEGIN;
SELECT custid FROM accounts WHERE name = :'name' \gset
SELECT bal AS savings FROM savings WHERE custid = :custid \gset
SELECT bal AS checking FROM checking WHERE custid = :custid \gset
COMMIT;
