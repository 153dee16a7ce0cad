-- autovacuum_behind of orders
-- conditions: tables/autovacuum_behind.sql 56
-- also: setting_changed
-- options: autovacuum_analyze_threshold = 50
-- dead: 10000
-- name: autovacuum_vacuum_threshold
-- first: 5000
-- second: 5000
-- second_at: -20
-- scale: 0
-- by_hand: 0
-- role: NULL
-- database: NULL
CREATE TABLE orders (id int) WITH ({options});
CREATE TABLE events (id int) WITH (autovacuum_vacuum_threshold = 100000, autovacuum_enabled = off);
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart, role_name, database_name)
SELECT node_id, sample_id, taken_at, n, v, 'configuration file', false, NULL, NULL FROM tick, (VALUES ('{name}', '{first}'), ('autovacuum_vacuum_scale_factor', '{scale}')) x(n, v) WHERE m = -30
UNION ALL SELECT node_id, sample_id, taken_at, '{name}', '{second}', 'configuration file', false, {role}, {database} FROM tick WHERE m = {second_at};
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, reltuples, n_live_tup, n_dead_tup, n_tup_upd, n_tup_del, vacuum_count, autovacuum_count)
SELECT node_id, sample_id, taken_at, 'orders'::regclass, 'public', 'orders', 'table', 10000, 10000, {dead}, 1000 * (m + 120), 0, {by_hand}, 0 FROM tick WHERE m % 5 = 0;

-- rows
-- the server's threshold | 1h | => warning, threshold of 5,000 | first = 5001; second = 5001 => silent
-- its scale factor | 1h | name = x; scale = 0.495 => warning, threshold of 5,000 | name = x; scale = 0.4951 => silent
-- its highest threshold | 1h | name = autovacuum_vacuum_max_threshold; second = 5000; scale = 10 => warning, threshold of 5,000 | name = autovacuum_vacuum_max_threshold; second = 5001; scale = 10 => silent | name = autovacuum_vacuum_max_threshold; second = -1; scale = 10 => silent
-- the last of the settings | 1h | first = 9000 => warning | second = 9000 => silent | second = 9000; second_at = 60 => silent
-- of the server | 1h | second = 9000; role = 'app' => warning | second = 9000; database = 'app' => warning
-- the table's own options | 1h | first = 9000; second = 9000; options = autovacuum_vacuum_threshold = 5000 => warning | options = autovacuum_vacuum_threshold = 5001 => silent | options = autovacuum_vacuum_scale_factor = 0.1 => silent | scale = 10; options = autovacuum_vacuum_scale_factor = 0 => warning
-- switched off | 1h | options = autovacuum_enabled = off => warning, ; autovacuum is switched off for it & "off": true | options = autovacuum_enabled = false => warning, "off": true | name = autovacuum; second = off => warning, "off": true | name = autovacuum; second = on => warning, "off": false | name = autovacuum; second = off; options = autovacuum_enabled = true => warning, "off": false
-- no threshold at all | 1h | first = 0; second = 0 => warning, above autovacuum's threshold of 0
-- what ends it where it was switched off | | options = autovacuum_enabled = off; dead = CASE WHEN m < 30 THEN 20000 ELSE 5 END; by_hand = CASE WHEN m >= 30 THEN 1 ELSE 0 END => warning, at=25 & autovacuum is switched off for it & fix=ALTER TABLE public.orders RESET (autovacuum_enabled) | dead = CASE WHEN m < 30 THEN 20000 ELSE 5 END; by_hand = CASE WHEN m >= 30 THEN 1 ELSE 0 END => warning, at=25 & fix=none
