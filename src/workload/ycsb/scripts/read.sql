{choose}
\set key {key}
SELECT * FROM usertable WHERE ycsb_key = :'key';
