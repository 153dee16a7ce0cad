{choose}
\set key {key}
\set length random(1, {maxscanlength})
SELECT * FROM usertable WHERE ycsb_key >= :'key' ORDER BY ycsb_key LIMIT :length;
