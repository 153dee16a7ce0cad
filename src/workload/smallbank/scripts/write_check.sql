\set customer @customer@
\set name concat('customer ', :customer)
BEGIN;
SELECT custid FROM accounts WHERE name = :'name' \gset
SELECT bal AS savings FROM savings WHERE custid = :custid \gset
SELECT bal AS checking FROM checking WHERE custid = :custid \gset
\if :savings + :checking < 5.00
UPDATE checking SET bal = bal - 6.00 WHERE custid = :custid;
\else
UPDATE checking SET bal = bal - 5.00 WHERE custid = :custid;
\endif
COMMIT;
