{choose}
\set key {key}
\set n random(0, 9)
\set value {value}
SELECT * FROM usertable WHERE ycsb_key = :'key';
UPDATE usertable SET field:n = :'value' WHERE ycsb_key = :'key';
