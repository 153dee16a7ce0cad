# shellcheck shell=bash disable=SC2034,SC2154
# Families beside the programs that they come from: sysbench, go-tpc for the load derived from TPC-C, tpchgen-cli and COPY for
# that derived from TPC-H. These rows are taken only if named: the programs have to be installed or built. A function that
# measures prints one number.

family_rows=(sysbench_point sysbench_read sysbench_write sysbench_many sysbench_wire sysbench_init tpcc_nopm tpcc_wire tpcc_init tpch_init)
sysbench_tables=4
sysbench_rows=100000
warehouses=20

row_sysbench_point() { sysbench_row oltp_point_select 1 ratio:8; }
row_sysbench_read() { sysbench_row oltp_read_only 1 ratio:2; }
row_sysbench_write() { sysbench_row oltp_read_write 1 ratio:2; }
row_sysbench_many() {
    sysbench_row oltp_read_only 8 ratio:1.3
    sysbench_row oltp_read_write 8 ratio:1.3
}

# The same messages from both, over the same socket.
row_sysbench_wire() {
    local clients
    for clients in 1 8; do
        sysbench_row oltp_point_select "$clients" ratio:1 ", transport => 'wire'" ' over the wire'
        sysbench_row oltp_read_write "$clients" ratio:1 ", transport => 'wire'" ' over the wire'
    done
}

# Both sides on the same tables: script, clients, target, further arguments of the run, what they are.
sysbench_row() {
    need_sysbench_tables
    compare "$1${5-}, $(clients_of "$2")" tps "$3" sysbench \
        pgperf_tps "$1" "$2" "schema => 'bench_sysbench', max_tries => 10${4-}" -- sysbench_tps "$1" "$2"
}

row_sysbench_init() {
    need_sysbench
    local rows=1000000
    compare "init, $sysbench_tables tables of $rows rows, $cores jobs" s ratio:4 'sysbench prepare' \
        init_s "options => '{\"tables\": $sysbench_tables, \"table_size\": $rows}'" oltp_read_only -- \
        in_a_schema bench_load run_sysbench oltp_read_only "$cores" --table-size="$rows" prepare
}

need_sysbench() {
    command -v sysbench >/dev/null || install_packages sysbench
}

need_sysbench_tables() {
    need_sysbench
    if [ -n "$(query -c "SELECT to_regclass('bench_sysbench.sbtest1')")" ]; then return; fi
    query -c "CREATE SCHEMA bench_sysbench"
    quietly query -c "CALL pgperf.init('oltp_read_write', schema => 'bench_sysbench',
        options => '{\"tables\": $sysbench_tables, \"table_size\": $sysbench_rows}')"
}

# sysbench's events per second: script, clients.
sysbench_tps() {
    local output
    output=$(PGOPTIONS='-c search_path=bench_sysbench' run_sysbench "$1" "$2" --table-size="$sysbench_rows" --time="$seconds" run)
    sed -n 's/^ *transactions: .*(\(.*\) per sec.)$/\1/p' <<<"$output"
}

# Script, threads, further options and the command.
run_sysbench() {
    sysbench "$1" --db-driver=pgsql --pgsql-host="$PGHOST" --pgsql-port="$PGPORT" --pgsql-user="$PGUSER" --pgsql-db="$PGDATABASE" \
        --tables="$sysbench_tables" --threads="$2" "${@:3}"
}

row_tpcc_nopm() {
    need_warehouses
    compare "tpcc-like, new orders per minute, 1 client" nopm ratio:2 'go-tpc run' pgperf_nopm tpcc-like -- go_tpc_nopm
    compare "tpcc-like-sql, new orders per minute, 1 client" nopm - 'go-tpc run' pgperf_nopm tpcc-like-sql -- go_tpc_nopm
}

# Statement by statement over TCP, as go-tpc works.
row_tpcc_wire() {
    need_warehouses
    query -c "CREATE SERVER bench_tcp FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '127.0.0.1', port '$PGPORT', dbname '$PGDATABASE')"
    query -c "CREATE USER MAPPING FOR $PGUSER SERVER bench_tcp OPTIONS (user '$PGUSER')"
    compare "tpcc-like-sql over the wire, new orders per minute, 1 client" nopm ratio:1 'go-tpc run' \
        pgperf_nopm tpcc-like-sql ", server => 'bench_tcp'" -- go_tpc_nopm
}

row_tpcc_init() {
    go_tpc=$("$ROOT/tools/go-tpc")
    compare "init, $warehouses warehouses, $cores jobs" s ratio:5 'go-tpc prepare' \
        init_s "scale => $warehouses" tpcc-like -- in_a_database go_tpc_prepare
}

# Each side has tables of its own, as it has made them: go-tpc's in a database of its own.
need_warehouses() {
    go_tpc=$("$ROOT/tools/go-tpc")
    if [ -n "$(query -c "SELECT to_regclass('bench_tpcc.stock')")" ]; then return; fi
    query -c "CREATE SCHEMA bench_tpcc" -c "CREATE DATABASE bench_go"
    quietly query -c "CALL pgperf.init('tpcc-like', scale => $warehouses, jobs => $cores, schema => 'bench_tpcc')"
    PGDATABASE=bench_go quietly go_tpc_prepare
    PGDATABASE=bench_go query -c "VACUUM ANALYZE"
}

pgperf_nopm() {
    pgperf_tps "$1" 1 "schema => 'bench_tpcc', max_tries => 10${2-}" >/dev/null
    query -c "SELECT value FROM pgperf.run_metrics WHERE metric = 'nopm' AND run_id = (SELECT max(run_id) FROM pgperf.runs)"
}

go_tpc_nopm() {
    local output
    output=$(PGDATABASE=bench_go run_go_tpc run -T 1 --time "${seconds}s")
    sed -n 's/^tpmC: \([0-9.]*\),.*/\1/p' <<<"$output"
}

go_tpc_prepare() { run_go_tpc prepare -T "$cores" --no-check; }

run_go_tpc() {
    "$go_tpc" tpcc "$@" -d postgres -H 127.0.0.1 -P "$PGPORT" -U "$PGUSER" -D "$PGDATABASE" --warehouses "$warehouses" \
        --conn-params sslmode=disable
}

# The other side waits for the same disk: --set 'fsync=on' says how long a load takes that is kept.
row_tpch_init() {
    local keys
    tpchgen=$("$ROOT/tools/tpchgen-cli")
    for keys in none keys; do
        query -c "CREATE SCHEMA bench_tpch_$keys"
        quietly query -c "CALL pgperf.init('tpch-like', scale => 0.01, schema => 'bench_tpch_$keys', options => '{\"indexes\": \"$keys\"}')"
        compare "init of tpch-like, scale 1, indexes $keys, $cores jobs" s "ratio:$([ "$keys" = none ] && echo 2 || echo 1.3)" \
            'tpchgen-cli to CSV, COPY ... FREEZE from two sessions' \
            init_s "scale => 1, options => '{\"indexes\": \"$keys\"}'" tpch-like -- in_a_schema bench_load csv_and_copy "bench_tpch_$keys"
    done
}

# The tables of a schema at scale 1, by way of files. lineitem is most of it, so that one session has it for itself.
csv_and_copy() {
    local files=$dir/csv first second
    rm -rf "$files"
    install -d -m 755 "$files"
    "$tpchgen" csv --scale-factor 1 --output-dir "$files" || return
    copy_tables "$1" "$files" lineitem & first=$!
    copy_tables "$1" "$files" orders partsupp customer part supplier nation region & second=$!
    wait "$first" || return
    wait "$second" || return
    rm -rf "$files"
}

# The schema whose tables they are like, the folder, the tables.
copy_tables() {
    local name
    for name in "${@:3}"; do
        query -c "BEGIN" -c "CREATE TABLE $name (LIKE $1.$name)" -c "COPY $name FROM '$2/$name.csv' (FORMAT csv, HEADER, FREEZE)" -c "COMMIT" ||
            return
        query -c "SELECT pg_catalog.format('ALTER TABLE %I ADD %s', '$name', pg_catalog.pg_get_constraintdef(oid))
                    FROM pg_catalog.pg_constraint WHERE conrelid = '$1.$name'::regclass AND contype = 'p'" | query || return
        query -c "ANALYZE $name" || return
    done
}

# Seconds of a load into a new schema: arguments of init, workload.
init_s() {
    in_a_schema bench_load query -c "CALL pgperf.init('$2', schema => 'bench_load', jobs => $cores, $1)"
}

# Seconds of a command whose tables go to a schema of their own.
in_a_schema() { PGOPTIONS="-c search_path=$1" seconds_of "${@:2}"; }

# Seconds of a command whose tables go to a database of their own.
in_a_database() {
    query -c "CREATE DATABASE bench_go_load"
    PGDATABASE=bench_go_load seconds_of "$@"
    query -c "DROP DATABASE bench_go_load"
}
