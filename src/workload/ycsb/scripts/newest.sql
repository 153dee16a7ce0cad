SELECT last_value AS newest FROM usertable_keynum \gset
