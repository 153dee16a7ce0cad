\set customer @customer@
\set name concat('customer ', :customer)
\set amount CASE WHEN random(0, 1) = 1 THEN 20.20 ELSE -20.20 END
BEGIN;
SELECT custid FROM accounts WHERE name = :'name' \gset
SELECT bal AS savings FROM savings WHERE custid = :custid \gset
\if :savings + :amount < 0
ROLLBACK;
\else
UPDATE savings SET bal = bal + :amount::numeric WHERE custid = :custid AND bal + :amount::numeric >= 0;
COMMIT;
\endif
