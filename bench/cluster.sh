# shellcheck shell=bash disable=SC2034,SC2154
# The throw-away cluster that everything is measured in, and the machine below it.

# fsync is off because the two sides wait for the same disk: its latency would hide what they cost themselves.
# Nothing else is tuned in favour of either. No checkpoint comes in between by itself; each row begins with one.
server_settings=(
    "shared_buffers = 1GB"
    "max_wal_size = 16GB"
    "checkpoint_timeout = 1h"
    "max_worker_processes = 220"
    "max_connections = 600"
    "fsync = off"
)

# The extension as it is here, in the server's folders; psql's own connection settings are forgotten.
install_for_bench() {
    prepare_server
    if ! stage_is_fresh; then prepare_cargo; fi
    build
    install_extension
    forget_connection_settings
}

# Sets dir and the connection settings; the cluster goes when the script ends.
start_cluster() {
    dir=$(server_tempdir bench)
    trap stop_cluster EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    say "Starting a throw-away PostgreSQL $major in $dir"
    as_server "$bindir/initdb" -D "$dir/data" -U postgres -A trust --no-locale -E UTF8 >/dev/null
    {
        printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = '$dir'" \
            "dynamic_library_path = '\$libdir:$dir/limit_probe'"
        printf '%s\n' "${server_settings[@]}"
    } >>"$dir/data/postgresql.conf"
    as_server "$bindir/pg_ctl" start -D "$dir/data" -l "$dir/log" -w -s
    export PGHOST=$dir PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
    query -c "SET client_min_messages = warning" -c "CREATE EXTENSION pgperf CASCADE"
}

restart_cluster() { as_server "$bindir/pg_ctl" restart -D "$dir/data" -l "$dir/log" -m fast -w -s >/dev/null; }

stop_cluster() {
    local status=$?
    # 128 and more: stopped by a signal, nothing to explain.
    if [ "$status" != 0 ] && [ "$status" -lt 128 ] && [ -e "$dir/log" ]; then
        say "The end of the server's log:"
        tail -n 20 "$dir/log" >&2
    fi
    if [ -e "$dir/data/postmaster.pid" ]; then
        as_server "$bindir/pg_ctl" stop -D "$dir/data" -m fast -s ||
            as_server "$bindir/pg_ctl" stop -D "$dir/data" -m immediate -s
    fi
    rm -rf "$dir"
}

# psql for scripts: bare rows, and the first error ends it.
query() { "$bindir/psql" -X -A -t -q -v ON_ERROR_STOP=1 "$@"; }

# The bare worker, compiled where the server can read it.
build_limit_probe() {
    [ ! -e "$dir/limit_probe" ] || return 0
    cp -r "$ROOT/bench/limit_probe" "$dir/limit_probe"
    # Bitcode is for JIT only, and would need clang.
    make -s -C "$dir/limit_probe" PG_CONFIG="$PG_CONFIG" with_llvm=no >&2
    if is_root; then chown -R postgres: "$dir/limit_probe"; fi
    query -c "CREATE FUNCTION limit_probe(script text, seconds integer, scale integer) RETURNS integer
              LANGUAGE c STRICT AS 'limit_probe'"
}

# The session alone, in the library that bench/run has built with it.
create_session_loop() {
    query -c "SET client_min_messages = warning" \
        -c "CREATE OR REPLACE FUNCTION session_loop(script text, seconds integer, scale integer) RETURNS integer
            LANGUAGE c STRICT AS 'pgperf', 'session_loop_wrapper'"
}

# How much of the cores others use, in percent, over three seconds.
busy_percent() {
    { head -n 1 /proc/stat; sleep 3; head -n 1 /proc/stat; } | awk '
        { idle[NR] = $5 + $6; for (i = 2; i <= 9; i++) all[NR] += $i }
        END { printf "%.0f", 100 * (1 - (idle[2] - idle[1]) / (all[2] - all[1])) }'
}

# What figures depend on, as a Markdown list.
describe_machine() {
    local cpu memory
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    memory=$(awk '/^MemTotal/ {printf "%.0f GB", $2 / 1048576}' /proc/meminfo)
    cat <<TEXT
- CPU: ${cpu:-unknown}, $cores cores; memory: $memory
- $(uname -sr), temporary folder on $(stat -f -c %T "$dir")
- $(query -c "SELECT version()")
- settings: $(printf '%s, ' "${server_settings[@]}" | sed 's/, $//'); all others as they come
- scale $scale; medians of $pairs interleaved pairs, $seconds s each; cores busy before the start: $busy_before %
TEXT
    [ "$busy_before" -lt 10 ] || echo "- **The machine was not idle: these figures are not to be relied on.**"
}
