-- sequence_exhaustion of ids_{n}
-- conditions: tables/sequence_exhaustion.sql 21
-- used: 90
-- first: last
-- since: m = 1
-- at: m = 60
-- limit: 1000000000
-- last: 900000000
-- step: 1
-- column: NULL
INSERT INTO pgperf.sequence_history (node_id, sample_id, taken_at, sequence_oid, last_value, limit_value, increment, used_percent, schema_name, sequence_name, table_name, column_name, column_type)
SELECT t.node_id, t.sample_id, t.taken_at, 9000 + {n}, v.last_value, {limit}, {step}, {used}, 'shop', 'ids_{n}', 'shop.orders', 'id', {column}
FROM tick t CROSS JOIN LATERAL (SELECT {last}::bigint AS last) l
CROSS JOIN LATERAL (SELECT CASE WHEN {at} THEN last ELSE {first} END::bigint AS last_value) v WHERE {since} OR {at};

-- rows
-- a tenth is left | 10m 1h 1d | => warning, weight=190 kind=sequence schema=shop & at=60 since=1 until=60: 90 % of the values up to 1000000000 are used & fix=ALTER SEQUENCE shop.ids_ | used = 89.9 => silent
-- critical: one of a hundred | | used = 99 => critical, 99 % | used = 98.9 => warning, 98 %
-- or none is left in 30 days | 1h | used = 50; last = 500000000; first = last - 700000 => warning, at the present rate none is left at | used = 50; last = 500000000; first = last - 680000 => silent
-- critical: within a week | 1h | used = 50; last = 500000000; first = last - 2950000 => critical | used = 50; last = 500000000; first = last - 2910000 => warning
-- by the rate of a day | 1h | used = 50; last = 500000000; first = last - 700000; since = m = -59 => silent | used = 50; last = 500000000; first = last - 1400000; since = m = -59 => warning, since=-59
-- of a day is what was before the window left out | 1d | used = 50; last = 500000000; first = last - 100000000; since = m = 0 => silent
-- backwards | 1h | used = 50; step = -1; limit = -1000000000; last = -500000000; first = last + 700000 => warning
-- in the window | 10m 1h 1d | at = m = 0; since = m = -1 => silent | at = m = 1; since = m = 0 => warning
-- a column that is smaller is for its owner | | column = 'integer' => warning, by column id of shop.orders (integer) & fix=none | column = 'bigint' => warning, fix=ALTER SEQUENCE
-- it does not move back | | used = 50; last = 500000000; first = last + 10 => silent
