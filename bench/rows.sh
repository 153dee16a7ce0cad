# shellcheck shell=bash disable=SC2034,SC2154
# The rows of the table, one function each, in their order.

rows=(select1 tpcb1 ceiling_select1 ceiling_tpcb1 select_many tpcb_many
    limit_select limit_tpcb session_select session_tpcb format_select format_tpcb sampling_select sampling_tpcb
    sampling_seconds sampling_all_seconds sampling_cost sessions sessions_seconds capture_idle capture_select capture_tpcb waiting snapshot many_tables month metrics buffers hit_curve hit_curve_cost bloat bloat_half bloat_flat init init_server init_wire start
    wire_select1 wire_select_many wire_select_64 wire_tpcb1 wire_tpcb_many wire_tpcb_64 wire_cpu1 wire_cpu_many wire_cpu_64)
# Taken only if named: they last long.
long_rows=(aa)

pgbench='pgbench -M prepared'
probe='bare C worker'

row_select1() {
    compare 'select-only, 1 client' tps ratio:8 "$pgbench" pgperf_tps select-only 1 -- pgbench_tps select-only 1
}
row_tpcb1() {
    compare 'tpcb-like, 1 client' tps ratio:8 "$pgbench" pgperf_tps tpcb-like 1 -- pgbench_tps tpcb-like 1
}
row_select_many() {
    compare "select-only, $many clients" tps ratio:3.5 "$pgbench" \
        pgperf_tps select-only "$many" -- pgbench_tps select-only "$many"
}
row_tpcb_many() {
    compare "tpcb-like, $many clients" tps ratio:3 "$pgbench" \
        pgperf_tps tpcb-like "$many" -- pgbench_tps tpcb-like "$many"
}

# The same engine over connections, as those of pgbench.
row_wire_select1() { wire select-only 1; }
row_wire_select_many() { wire select-only "$many"; }
row_wire_select_64() { wire select-only 64; }
row_wire_tpcb1() { wire tpcb-like 1; }
row_wire_tpcb_many() { wire tpcb-like "$many"; }
row_wire_tpcb_64() { wire tpcb-like 64; }
wire() {
    compare "$1 over the wire, $(clients_of "$2")" tps ratio:0.95 "$pgbench" pgperf_tps "$1" "$2" "transport => 'wire'" -- pgbench_tps "$1" "$2"
}
# What the client's side takes: the workers, or pgbench.
row_wire_cpu1() { wire_cpu 1; }
row_wire_cpu_many() { wire_cpu "$many"; }
row_wire_cpu_64() { wire_cpu 64; }
wire_cpu() {
    compare "CPU of the client's side, select-only over the wire, $(clients_of "$1")" 'us a transaction' - "$pgbench" \
        wire_cpu_us select-only "$1" -- pgbench_cpu_us select-only "$1"
}
clients_of() { [ "$1" -eq 1 ] && echo "1 client" || echo "$1 clients"; }

# What no worker can exceed, whatever it is written in.
row_ceiling_select1() { ceiling select-only; }
row_ceiling_tpcb1() { ceiling tpcb-like; }
ceiling() {
    build_limit_probe
    compare "the bare C worker itself, $1, 1 client" tps - "$pgbench" bare_tps limit_probe "$1" -- pgbench_tps "$1" 1
}

row_limit_select() { limit select-only discard ratio:0.95; }
row_limit_tpcb() { limit tpcb-like discard ratio:0.95; }
row_format_select() { limit select-only format -; }
row_format_tpcb() { limit tpcb-like format -; }
limit() {
    build_limit_probe
    compare "$1, 1 client, result_mode $2" tps "$3" "$probe" \
        pgperf_tps "$1" 1 "result_mode => '$2'" -- bare_tps limit_probe "$1"
}

# What the script language, the clock and the histograms cost.
row_session_select() { session select-only; }
row_session_tpcb() { session tpcb-like; }
session() {
    create_session_loop
    compare "$1, 1 client, result_mode discard" tps ratio:0.95 'the session alone' \
        pgperf_tps "$1" 1 "result_mode => 'discard'" -- bare_tps session_loop "$1"
}

row_sampling_select() { sampling select-only; }
row_sampling_tpcb() { sampling tpcb-like; }
sampling() {
    compare "$1, 2 clients, sampled every second" tps ratio:0.99 'the same without a sample' \
        pgperf_tps "$1" 2 "sample_interval => '1 s'" -- pgperf_tps "$1" 2 "sample_interval => '1 day'"
}
# Neighbouring seconds of the same run, of which every other one has a sample: what varies between runs drops out.
row_sampling_seconds() { sampling_seconds 'a sample' wal wraparound database checkpoints waits host; }
# Those, too, that a run takes at its start and end only.
row_sampling_all_seconds() {
    sampling_seconds 'a sample of everything' wal wraparound database checkpoints waits host replication settings tables buffers bloat
}
sampling_seconds() {
    local i what=$1
    local -a measured=()
    shift
    say "Seconds with and without $what (tps)"
    query -c "VACUUM ANALYZE" -c "CHECKPOINT"
    for ((i = 1; i <= pairs; i++)); do
        measured+=("$(tps_of_seconds tpcb-like 2 "$@")")
        printf '    run %d: %s\n' "$i" "${measured[-1]}" >&2
    done
    add_row "tpcb-like, 2 clients, seconds with $what" tps ratio:0.99 'seconds without, same runs' "${measured[@]}"
}
# What the samples themselves say that they cost: their share of all CPUs' time is what others have less.
row_sampling_cost() {
    compare 'CPU time of a sample a second' '% of all' max:1 - sampling_cost tpcb-like 2
    say "$(query -c "SELECT 'a sample: ' || round((percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu_ms))::numeric, 2) || ' ms on a CPU, '
                           || round(avg(wal_bytes)) || ' bytes of WAL'
                      FROM pgperf.samples WHERE cadence IS NOT NULL")"
}

# The sampler looks at 500 idle and 50 active sessions every second, and does nothing else.
row_sessions() { only_sessions compare 'CPU time of the looks at 550 sessions' '% of a core' max:0.3 - looks_cost; }
row_sessions_seconds() { only_sessions beside_sampler seconds_of_looks; }
only_sessions() {
    local enabled
    enabled=$(query -c "SELECT array_agg(name) FROM pgperf.collectors WHERE enabled")
    query -c "UPDATE pgperf.collectors SET enabled = name = 'sessions'"
    with_sessions "$@"
    query -c "UPDATE pgperf.collectors SET enabled = name = ANY ('$enabled')"
}

# Neighbouring seconds of pgbench, in which the sampler goes and in which it is stopped: what varies between runs drops out.
seconds_of_looks() {
    local i
    local -a measured=()
    say 'Seconds beside 550 sessions, with the sampler and without (tps)'
    query -c "VACUUM ANALYZE" -c "CHECKPOINT"
    for ((i = 1; i <= pairs; i++)); do
        measured+=("$(tps_beside_sampler tpcb-like 2)")
        printf '    run %d: %s\n' "$i" "${measured[-1]}" >&2
    done
    add_row 'tpcb-like, 2 clients beside 550 sessions, all looked at' tps ratio:0.997 'seconds without, same runs' "${measured[@]}"
}

# A capture of all sessions: neighbouring seconds of pgbench with it and without; and what the library costs while there is none.
row_capture_select() { captured select-only ratio:0.97; }
row_capture_tpcb() { captured tpcb-like ratio:0.98; }
captured() {
    local i
    local -a measured=()
    preload "'pgperf'"
    say "Seconds with a capture of $1 and without (tps)"
    query -c "VACUUM ANALYZE" -c "CHECKPOINT"
    for ((i = 1; i <= pairs; i++)); do
        measured+=("$(tps_captured "$1" 8)")
        printf '    run %d: %s\n' "$i" "${measured[-1]}" >&2
    done
    add_row "$1, 8 clients over connections, captured" tps "$2" 'seconds without, same runs' "${measured[@]}"
    preload DEFAULT
}
row_capture_idle() {
    compare 'select-only, 8 clients, pgperf preloaded and no capture' tps ratio:0.99 'not preloaded' \
        tps_with_libraries "'pgperf'" select-only 8 -- tps_with_libraries DEFAULT select-only 8
    preload DEFAULT
}
preload() {
    query -c "ALTER SYSTEM SET shared_preload_libraries = $1"
    restart_cluster
}

# A hot run: many updates of few rows, which is slow as soon as somebody holds the horizon back.
row_waiting() {
    query -c "CREATE SCHEMA bench_hot"
    quietly load_with_pgperf 1 bench_hot
    compare 'tpcb-like, scale 1, 2 clients, a session waits' tps ratio:0.97 'the same, nobody waits' \
        pgperf_tps tpcb-like 2 "schema => 'bench_hot'" -- pgperf_tps_unattended tpcb-like 2 "schema => 'bench_hot'"
}

row_snapshot() { compare 'pgperf.snapshot()' ms - - statement_ms 'SELECT pgperf.snapshot()'; }
# A catalog of 20,000 tables, each with an index. What is not due in one sample is in another.
row_many_tables() {
    query -c "CREATE DATABASE bench_tables"
    PGDATABASE=bench_tables many_tables
    query -c "DROP DATABASE bench_tables"
}
many_tables() {
    local memory
    say "Making 20,000 tables"
    query -c "SET client_min_messages = warning" -c "CREATE EXTENSION pgperf CASCADE"
    query -c "DO \$\$ BEGIN FOR i IN 1..20000 LOOP EXECUTE format('CREATE UNLOGGED TABLE t%s (id int PRIMARY KEY)', i);
                  IF i % 500 = 0 THEN COMMIT; END IF; END LOOP; END \$\$"
    compare 'pgperf.snapshot(), 20,000 tables' ms max:3000 - statement_ms 'SELECT pgperf.snapshot()'
    memory=$(memory_of_samples)
    pairs=1 compare "memory of a session after $samples samples" MB ratio:0.9 "after $((samples / 10))" \
        echo "${memory#* }" -- echo "${memory% *}"
    pairs=1 compare "the slowest of these samples" ms max:3000 - query -c "SELECT round(max(elapsed_ms)::numeric, 0) FROM pgperf.samples"
}
# The data set should be a few times as large as shared_buffers, so that pages come and go (--scale 40 --set 'shared_buffers=128MB').
row_hit_curve() {
    compare 'select-only, 2 clients, hit_curve' tps ratio:0.99 'the same without' \
        pgperf_tps select-only 2 'hit_curve => true' -- pgperf_tps select-only 2
}
row_hit_curve_cost() {
    compare 'CPU time of the looks of hit_curve' '% of all' max:1 - hit_curve_cost select-only 2
}

# A month of history over 20,000 tables, as the tests make it: what a page of all of it takes.
row_month() {
    query -c "CREATE DATABASE bench_month"
    PGDATABASE=bench_month month
    query -c "DROP DATABASE bench_month"
}
month() {
    local call window="now() - interval '30 days', now()"
    say "Making a month of history"
    query -c "SET client_min_messages = warning" -c "CREATE EXTENSION pgperf CASCADE"
    sed 's/{tables}/20000/g' "$ROOT/tests/history/month.sql" | query >/dev/null
    query -c "VACUUM ANALYZE"
    for call in history_html history_json; do
        compare "pgperf.$call() of a month, 20,000 tables" ms max:2000 - statement_ms "SELECT pgperf.$call($window)"
    done
    compare "pgperf.findings() of a month, 20,000 tables" ms max:2000 - statement_ms "SELECT count(*) FROM pgperf.findings($window)"
}
# A call for Prometheus, over a month of history of 50 tables.
row_metrics() {
    query -c "CREATE DATABASE bench_metrics"
    PGDATABASE=bench_metrics metrics
    query -c "DROP DATABASE bench_metrics"
}
metrics() {
    say "Making a month of history"
    query -c "SET client_min_messages = warning" -c "CREATE EXTENSION pgperf CASCADE"
    sed 's/{tables}/50/g' "$ROOT/tests/history/month.sql" | query >/dev/null
    # As much as 50 tables with an index each have, and a sample of each collector of the sampler.
    query -c "DELETE FROM pgperf.relation_history WHERE relation_oid > 20100" \
        -c "UPDATE pgperf.bloat_history SET relation_name = 'table_' || substr(relation_name, 7)::int % 100" \
        -c "VACUUM ANALYZE"
    compare 'pgperf.metrics() of 50 tables, called again' 'ms on a CPU' max:10 - cpu_ms 'SELECT pgperf.metrics()'
    compare 'pgperf.metrics() of 50 tables, in a new session' 'ms on a CPU' - - first_cpu_ms 'SELECT pgperf.metrics()'
}
# Of a full cache: the data set should be about as large as shared_buffers (--scale 120 --set 'shared_buffers=2GB').
row_buffers() {
    query -c "SET client_min_messages = warning" -c "CREATE EXTENSION IF NOT EXISTS pg_prewarm" \
        -c "SELECT count(pg_prewarm(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')" \
        >/dev/null
    compare 'pgperf.snapshot_buffers()' ms ratio:20 'pg_buffercache with GROUP BY' \
        statement_ms 'SELECT pgperf.snapshot_buffers()' -- \
        statement_ms 'SELECT reldatabase, reltablespace, relfilenode, relforknumber, usagecount, count(*),
            count(*) FILTER (WHERE isdirty), count(*) FILTER (WHERE pinning_backends > 0)
            FROM pg_buffercache GROUP BY 1, 2, 3, 4, 5'
}
# A table of many MB after some life: a tenth of its rows changed, its dead ones not removed yet.
bloated_table() {
    local name=bench_bloat_$1
    if [ -z "$(query -c "SELECT to_regclass('$name')")" ]; then
        say "Making a table of $1 MB"
        # 40 rows a page; the changes add a tenth.
        query -c "CREATE UNLOGGED TABLE $name WITH (autovacuum_enabled = off) AS
                      SELECT i AS id, repeat('x', 168) AS filler FROM generate_series(1, $1 * 128 * 40 * 10 / 11) i" \
            -c "UPDATE $name SET filler = repeat('y', 168) WHERE hashint4(id) % 10 = 0"
    fi
    echo "$name"
}
sampled_bloat() { echo "SELECT pgperf.snapshot_bloat(ARRAY['$(bloated_table "$1")'::regclass], 'sampled')"; }
row_bloat() {
    local sampled table
    sampled=$(sampled_bloat "$bloat_mb")
    table=$(bloated_table "$bloat_mb")
    compare "bloat of a table of $bloat_mb MB, sampled" ms ratio:20 'pgstattuple' \
        statement_ms "$sampled" -- statement_ms "SELECT * FROM pgstattuple('$table')"
    say_bloat
}
say_bloat() {
    say "$(query -c "SELECT 'estimated bloat ' || round(bloat_percent::numeric, 2) || ' ± ' || round(error_margin_percent::numeric, 2)
                           || ' %, pages read ' || pages_read FROM pgperf.bloat_history ORDER BY sample_id DESC LIMIT 1")"
}
# The least favourable: pages at random are full or empty, so that a sample has to be large.
row_bloat_half() {
    say "Making a table of $bloat_mb MB"
    query -c "CREATE UNLOGGED TABLE bench_half WITH (autovacuum_enabled = off) AS
                  SELECT i AS id, repeat('x', 168) AS filler FROM generate_series(1, $bloat_mb * 128 * 40) i" \
        -c "DELETE FROM bench_half WHERE hashint4((ctid::text::point)[0]::int) % 2 = 0" -c "VACUUM bench_half"
    compare "bloat of $bloat_mb MB, every other page empty" ms ratio:20 'pgstattuple' \
        statement_ms "SELECT pgperf.snapshot_bloat('{bench_half}', 'sampled')" -- \
        statement_ms "SELECT * FROM pgstattuple('bench_half')"
    say_bloat
}
# Eight times the size; what grew with it would give a ratio of 0.125. The small one may lie in shared_buffers whole.
row_bloat_flat() {
    local large small
    large=$(sampled_bloat $((2 * bloat_mb)))
    small=$(sampled_bloat $((bloat_mb / 4)))
    compare "sampled bloat of $((2 * bloat_mb)) MB" ms ratio:0.5 "of $((bloat_mb / 4)) MB" \
        statement_ms "$large" -- statement_ms "$small"
}
# All steps of each; pgbench generates the rows itself, or has the server do it.
row_init() { init 'pgbench -i' dtgvp; }
row_init_server() { init 'pgbench -i -I dtGvp' dtGvp; }
# Into a target, which is this server by its socket: pgbench reaches it in the same way.
row_init_wire() {
    query -c "CREATE SERVER bench_target FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$PGDATABASE')"
    query -c "CREATE USER MAPPING FOR $PGUSER SERVER bench_target OPTIONS (user '$PGUSER')"
    compare "init into a target, scale $init_scale" s ratio:1.3 'pgbench -i' pgperf_init_wire_s "$init_scale" -- pgbench_init_s "$init_scale" dtgvp
}
init() {
    compare "init, scale $init_scale" s ratio:2 "$1" pgperf_init_s "$init_scale" -- pgbench_init_s "$init_scale" "$2"
}
row_start() {
    compare "start_run to the barrier, $start_clients clients" ms max:3000 "pgbench's initial connection time" \
        pgperf_start_ms "$start_clients" -- pgbench_start_ms "$start_clients"
}
# How often pgperf.compare tells two runs apart between which there is no difference: 5 % by design.
row_aa() {
    local pairs=1
    compare "pgperf.compare of $aa_pairs pairs of equal runs of $seconds s: told apart by their tps" % max:9 - false_alarms_percent
}
