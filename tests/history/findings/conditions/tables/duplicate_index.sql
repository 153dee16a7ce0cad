-- duplicate_index of index_{n}
-- also: invalid_index
-- conditions: tables/duplicate_index.sql 10
-- about: all of the history
-- columns: id int, label text, extra int
-- by: (label, id)
-- index: (label)
-- by_unique: 
-- unique: 
-- pages: 1024
-- then: SELECT
-- table: table_{n}
CREATE TABLE {table} ({columns});
CREATE {by_unique} INDEX by_{n} ON {table} {by};
CREATE {unique} INDEX index_{n} ON {table} {index};
{then};
UPDATE pg_class SET relpages = CASE relname WHEN 'by_{n}' THEN 4096 ELSE {pages} END WHERE relname IN ('by_{n}', 'index_{n}');

-- rows
-- 8 MB | 10m 1h 1d | => note, weight=25 kind=index schema=public at=60 since= until=: 8192 kB of index on public.table_ & : its columns are the first ones of by_ & , 32 MB & fix=DROP INDEX CONCURRENTLY public.index_ | pages = 1023 => silent
-- the same columns: the older one stays | | by = (label) => note, : its columns are those of by_ | by = (extra) => silent
-- not the last columns | | by = (id, label) => silent | index = (label, id) => note, those of | index = (label, extra) => silent
-- one that keeps values unique is needed | | unique = UNIQUE => silent | by = (label); by_unique = UNIQUE => note
-- or supports a constraint | | index = (extra); then = ALTER TABLE {table} ADD CONSTRAINT excl_{n} EXCLUDE USING btree (label WITH =);UPDATE pg_class SET relpages = 1024 WHERE relname = 'excl_{n}' => silent
-- or identifies rows | | columns = id int, label text NOT NULL; unique = UNIQUE; then = ALTER TABLE {table} REPLICA IDENTITY USING INDEX index_{n} => silent
-- of two equal ones the needed one stays, although it is younger | | by = (extra); then = CREATE UNIQUE INDEX younger_{n} ON {table} (label) => note, those of younger_
-- both valid | | then = UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_{n}'::regclass => silent | then = UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass => silent | then = UPDATE pg_index SET indisready = false WHERE indexrelid = 'by_{n}'::regclass => silent | then = UPDATE pg_index SET indislive = false WHERE indexrelid = 'by_{n}'::regclass => silent
-- of one access method, its prefix a B-tree's | | by = USING hash (label) => silent | by = USING hash (label); index = USING hash (label) => note | by = USING brin (label, id); index = USING brin (label) => silent | by = USING brin (label); index = USING brin (label) => note
-- of one operator class | | by = (label text_pattern_ops) => silent | by = (label text_pattern_ops, id) => silent | by = (label text_pattern_ops); index = (label text_pattern_ops) => note
-- of one collation | | by = (label COLLATE "C") => silent | by = (label COLLATE "C", id) => silent | by = (label COLLATE "C"); index = (label COLLATE "C") => note
-- in one order | | by = (label DESC) => silent | by = (label DESC, id) => silent | by = (label, id DESC) => note
-- of the same rows | | by = (label, id) WHERE id > 5 => silent | index = (label) WHERE id > 5 => silent | by = (label, id) WHERE id > 5; index = (label) WHERE id > 5 => note | by = (label) WHERE id > 5; index = (label) WHERE id > 6 => silent
-- of the same expressions | | by = (lower(label)); index = (lower(label)) => note | by = (lower(label)); index = (upper(label)) => silent | by = (lower(label), id); index = (lower(label)) => silent | by = (label, lower(label)) => silent
-- columns beside the key | | index = (label) INCLUDE (id) => silent | by = (label) INCLUDE (id) => silent | by = (label, id) INCLUDE (extra) => note | by = (label) INCLUDE (id); index = (label) INCLUDE (id) => silent
-- not of a catalog or pgperf | | table = pgperf.table_{n} => silent | table = pgperf_internal.table_{n} => silent
