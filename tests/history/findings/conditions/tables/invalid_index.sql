-- invalid_index of index_{n}
-- conditions: tables/invalid_index.sql 30
-- about: all of the history
-- then: UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass
CREATE TABLE table_{n} (id int);
CREATE INDEX index_{n} ON table_{n} (id);
{then};

-- rows
-- not valid | 10m 1h 1d | => warning, weight=150 kind=index schema=public at=60 since= until=: 8192 bytes of index on public.table_ & fix=REINDEX INDEX CONCURRENTLY public.index_ | then = SELECT => silent
-- what a valid one does as well is dropped | | then = UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass;CREATE INDEX valid_{n} ON table_{n} (id) => warning, fix=DROP INDEX CONCURRENTLY public.index_ | then = UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass;CREATE INDEX valid_{n} ON table_{n} (id DESC) => warning, fix=REINDEX INDEX
-- a unique one would fail again | | then = DROP INDEX index_{n};CREATE UNIQUE INDEX index_{n} ON table_{n} (id);UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'index_{n}'::regclass => warning, fix=DROP INDEX CONCURRENTLY public.index_
