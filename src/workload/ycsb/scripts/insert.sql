SELECT nextval('usertable_keynum') AS keynum \gset
\set key {key}
\set value0 {value}
\set value1 {value}
\set value2 {value}
\set value3 {value}
\set value4 {value}
\set value5 {value}
\set value6 {value}
\set value7 {value}
\set value8 {value}
\set value9 {value}
INSERT INTO usertable (ycsb_key, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9) VALUES (:'key', :'value0', :'value1', :'value2', :'value3', :'value4', :'value5', :'value6', :'value7', :'value8', :'value9');
