# shellcheck shell=bash disable=SC2034,SC2154
# Contestants: each function here measures once and prints one number.

# Transactions per second of a run of pgperf: workload, clients, further arguments of start_run.
# The session that starts it waits for it.
pgperf_tps() {
    local run
    run=$(
        query <<SQL
SELECT pgperf.start_run('$1', clients => $2, duration => '$seconds s'${3:+, $3}) AS run \gset
CALL pgperf.wait_run(:run) \gset
SELECT :run;
SQL
    )
    run_tps "$run"
}

# Pairs of equal runs, compared: how many percent differ in their tps. On stderr, how many differ in anything.
false_alarms_percent() {
    local i
    for ((i = 1; i <= aa_pairs; i++)); do
        say "Pair $i of $aa_pairs"
        aa_run "$i" a >/dev/null
        aa_run "$i" b >/dev/null
    done
    query >&2 <<SQL
SELECT 'different in any metric of the summary: ' || count(*) || ' of $aa_pairs' FROM generate_series(1, $aa_pairs) i
WHERE EXISTS (SELECT FROM pgperf.compare('aa ' || i || ' a', 'aa ' || i || ' b')
    WHERE category = 'summary' AND verdict IN ('better', 'worse', 'differs'))
SQL
    query <<SQL
SELECT round(100.0 * count(*) FILTER (WHERE verdict <> 'no significant difference') / $aa_pairs, 1)
FROM generate_series(1, $aa_pairs) i, LATERAL pgperf.compare('aa ' || i || ' a', 'aa ' || i || ' b')
WHERE category = 'summary' AND metric = 'tps'
SQL
}

aa_run() {
    pgperf_tps tpcb-like 2 "label => 'aa $1 $2', warmup => '1 s', sample_interval => '0.1 s', collectors => '{}'"
}

# pgperf_tps with no session that waits: the script looks again when it must be over.
pgperf_tps_unattended() {
    local run status=running
    run=$(query -c "SELECT pgperf.start_run('$1', clients => $2, duration => '$seconds s'${3:+, $3})")
    sleep "$seconds"
    while [[ $status =~ ^(waiting|preparing|running|draining)$ ]]; do
        sleep 0.3
        status=$(query -c "SELECT pgperf.run_status($run)")
    done
    run_tps "$run"
}

# Of a run that was not cut short. sysbench's load has transactions that fail by design: one of a hundred is within it.
run_tps() {
    local line status tps reason
    line=$(query -c "SELECT r.status, CASE WHEN r.status = 'finished' AND s.failed * 100 <= s.transactions AND s.transactions > 0 THEN s.tps END,
                           coalesce(r.error, s.failed || ' transactions failed, ' || s.transactions || ' did not')
                      FROM pgperf.runs r JOIN pgperf.run_summary s USING (node_id, run_id) WHERE run_id = $1")
    IFS='|' read -r status tps reason <<<"$line"
    [ -n "$tps" ] || die "pgperf run $1 is $status: $reason"
    echo "$tps"
}

# pgbench's rate over the Unix socket: script, clients.
pgbench_tps() { pgbench_says '^tps = ' "$1" "$2" -T "$seconds"; }

# Microseconds of CPU time that pgbench takes for a transaction: script, clients.
pgbench_cpu_us() {
    local TIMEFORMAT='%U %S' output jobs=$(($2 < cores ? $2 : cores))
    output=$({ time "$bindir/pgbench" -n -M prepared -b "$1" -c "$2" -j "$jobs" -T "$seconds"; } 2>&1) || die "pgbench failed: $output"
    awk '/^number of transactions actually processed/ { count = $NF } NF == 2 && /^[0-9.]+ [0-9.]+$/ { cpu = $1 + $2 } END { print 1e6 * cpu / count }' <<<"$output"
}

# The same of the workers of a run over the wire: workload, clients. They are looked at twice while they work.
wire_cpu_us() {
    local run before after part
    part=$(awk "BEGIN { print 0.6 * $seconds }")
    run=$(query -c "SELECT pgperf.start_run('$1', clients => $2, duration => '$seconds s', transport => 'wire', sample_interval => '0.2 s')")
    until [ "$(query -c "SELECT count(*) > 1 FROM pgperf.run_intervals WHERE run_id = $run")" = t ]; do sleep 0.1; done
    before=$(workers_cpu_and_transactions "$run")
    sleep "$part"
    after=$(workers_cpu_and_transactions "$run")
    query -c "CALL pgperf.wait_run($run)" >/dev/null
    awk -v ticks="$(getconf CLK_TCK)" '{ cpu = $1 - cpu; count = $2 - count } END { print 1e6 * cpu / ticks / count }' <<<"$before"$'\n'"$after"
}
workers_cpu_and_transactions() {
    local pids
    pids=$(query -c "SELECT string_agg(format('/proc/%s/stat', pid), ' ') FROM pg_stat_activity WHERE application_name LIKE 'pgperf run $1 worker %'")
    # shellcheck disable=SC2086
    sed 's/.*) //' $pids | awk -v count="$(query -c "SELECT sum(transactions) FROM pgperf.run_intervals WHERE run_id = $1")" \
        '{ cpu += $12 + $13 } END { print cpu, count }'
}

# The number in the line of pgbench's report that matches: pattern, script, clients, further options.
pgbench_says() {
    local output jobs=$(($3 < cores ? $3 : cores))
    output=$("$bindir/pgbench" -n -M prepared -b "$2" -c "$3" -j "$jobs" "${@:4}" 2>&1) ||
        die "pgbench failed: $output"
    awk -v pattern="$1" '$0 ~ pattern { sub(/.*= /, ""); print $1 }' <<<"$output"
}

# The rate of a worker that runs nothing but statements: limit_probe or session_loop, script. Nobody may hold a
# snapshot meanwhile, so the result comes in the log.
bare_tps() {
    local pid tps='' deadline=$((SECONDS + seconds + 10))
    pid=$(query -c "SELECT $1('$2', $seconds, $scale)")
    sleep "$seconds"
    while [ -z "$tps" ]; do
        [ "$SECONDS" -lt "$deadline" ] || die "the bare worker (process $pid) gave no result"
        sleep 0.3
        tps=$(sed -n "s/.*$1 $pid: \(.*\) tps$/\1/p" "$dir/log" | tail -n 1)
    done
    echo "$tps"
}

# Milliseconds of a statement in a session that has run it before.
statement_ms() {
    printf '%s\n' '\o /dev/null' "$1;" '\timing on' "$1;" | query | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p'
}

# Milliseconds on a CPU of a statement: the mean of 30 calls in a session that has run it before.
cpu_ms() {
    {
        printf '%s\n' '\o /dev/null' "$1;"
        cpu_before
        for ((i = 0; i < 30; i++)); do printf '%s;\n' "$1"; done
        cpu_since 30
    } | query
}
# The same of the first call of a session: the mean of 30 sessions.
first_cpu_ms() {
    local i
    for ((i = 0; i < 30; i++)); do
        {
            echo '\o /dev/null'
            cpu_before
            printf '%s;\n' "$1"
            cpu_since 1
        } | query
    done | awk '{ sum += $1 } END { print sum / NR }'
}
# What the kernel has counted for the process, in nanoseconds, at its last tick: that of one call is not exact, but the mean is.
process_cpu="split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8"
cpu_before() { printf 'SELECT %s AS before \\gset\n' "$process_cpu"; }
cpu_since() { printf '\\o\nSELECT (%s - :before) / 1e6 / %s;\n' "$process_cpu" "$1"; }

# The rates of a run's seconds with a sample and of those without: workload, clients, collectors. A sample is taken at the beginning of
# the second that it is in. The seconds without are the means of the neighbours on both sides.
tps_of_seconds() {
    seconds=$((4 * seconds)) pgperf_tps "$1" "$2" "collectors => '{$(printf '%s@2s\n' "${@:3}" | paste -s -d ,)}'" >/dev/null
    query -F ' ' -c "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY tps), percentile_cont(0.5) WITHIN GROUP (ORDER BY (before + after) / 2)
        FROM (SELECT interval_no, tps, lag(tps) OVER w AS before, lead(tps) OVER w AS after
                FROM pgperf.run_intervals WHERE run_id = (SELECT max(run_id) FROM pgperf.runs) AND seconds > 0.9
              WINDOW w AS (ORDER BY interval_no)) s
       WHERE interval_no % 2 = 0 AND before + after > 0"
}

# Percent of all CPUs' time that the samples of a run took: workload, clients.
sampling_cost() {
    pgperf_tps "$1" "$2" "sample_interval => '1 s'" >/dev/null
    query -c "SELECT sum(cpu_ms) / (10 * $seconds * $cores) FROM pgperf.samples
              WHERE cadence IS NOT NULL AND run_id = (SELECT max(run_id) FROM pgperf.runs)"
}

# Percent of all CPUs' time that the looks at the buffers of a run took: workload, clients.
hit_curve_cost() {
    pgperf_tps "$1" "$2" "hit_curve => true" >/dev/null
    query -c "SELECT looks_ms / (10 * seconds * $cores) FROM pgperf.hit_curve_history
              WHERE run_id = (SELECT max(run_id) FROM pgperf.runs) AND times = 1"
}

# Beside 500 idle and 50 active sessions: a command.
with_sessions() {
    local dummies=() status=0
    echo '\sleep 1800 s' >"$dir/idle.sql"
    # Each for a moment only: none holds the horizon for long.
    echo 'SELECT pg_sleep(0.5);' >"$dir/active.sql"
    "$bindir/pgbench" -n -c 500 -t 1 -f "$dir/idle.sql" >/dev/null 2>&1 &
    dummies+=($!)
    "$bindir/pgbench" -n -c 50 -T 3600 -f "$dir/active.sql" >/dev/null 2>&1 &
    dummies+=($!)
    until [ "$(query -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'")" = 550 ]; do sleep 0.1; done
    "$@" || status=$?
    kill "${dummies[@]}"
    query -c "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = 'pgbench'" >/dev/null
    return "$status"
}

# Beside the sampler: a command.
beside_sampler() {
    query -c "SELECT pgperf.start_sampler()" >/dev/null
    until [ "$(sampler_pid)" ]; do sleep 0.1; done
    "$@"
    query -c "SELECT pgperf.stop_sampler()" >/dev/null
    while [ "$(sampler_pid)" ]; do sleep 0.1; done
}
sampler_pid() { query -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'"; }

# pgbench's transactions in the seconds in which something is done beside it, and in those in which it is not: what begins it, what ends it, workload,
# clients. Of four seconds the outer ones are with it, so that a steady change of the machine's speed counts for neither.
tps_in_turns() {
    local line second=0
    local -a tps=(0 0)
    $1
    while read -r line; do
        [[ $line =~ ^progress:\ [0-9.]+\ s,\ ([0-9]+) ]] || continue
        # The first block warms up.
        if ((second >= 4)); then ((tps[second % 4 == 1 || second % 4 == 2] += BASH_REMATCH[1])); fi
        second=$((second + 1))
        if ((second % 4 == 1)); then $2; elif ((second % 4 == 3)); then $1; fi
    done < <("$bindir/pgbench" -n -M prepared -b "$3" -c "$4" -j "$(($4 < cores ? $4 : cores))" -P 1 -T "$((4 + 8 * seconds))" 2>&1)
    awk -v with="${tps[0]}" -v without="${tps[1]}" -v seconds="$((4 * seconds))" 'BEGIN { print with / seconds, without / seconds }'
}

# With the sampler and with it stopped; what it stores while it goes is of all four seconds.
tps_beside_sampler() {
    local pid
    pid=$(sampler_pid)
    tps_in_turns "kill -CONT $pid" "kill -STOP $pid" "$@"
    kill -CONT "$pid"
}

# With a capture and without.
tps_captured() {
    tps_in_turns start_capture end_capture "$@"
    end_capture
}
start_capture() { query -c "SELECT pgperf.start_capture('bench')" >/dev/null; }
end_capture() { query -c "SELECT pgperf.stop_capture() AND pgperf.drop_capture(name) FROM pgperf.captures" >/dev/null; }

# Transactions a second on a server that has just been started with these libraries.
tps_with_libraries() {
    query -c "ALTER SYSTEM SET shared_preload_libraries = $1"
    restart_cluster
    pgbench_tps "$2" "$3"
}

# Percent of a core that the sampler takes, over a minute.
looks_cost() { beside_sampler sampler_cpu_percent 60; }
sampler_cpu_percent() {
    local pid before
    pid=$(sampler_pid)
    # The first sample reads what later ones know.
    sleep 12
    before=$(cut -d ' ' -f 1 "/proc/$pid/schedstat")
    sleep "$1"
    awk -v before="$before" -v seconds="$1" '{ print ($1 - before) / 1e7 / seconds }' "/proc/$pid/schedstat"
}

# Megabytes that a session has for itself after a tenth of the samples, and after all.
memory_of_samples() {
    local some=$((samples / 10))
    {
        printf '%s\n' '\o /dev/null'
        for ((i = 1; i <= samples; i++)); do
            echo 'SELECT pgperf.snapshot();'
            if ((i == some || i == samples)); then
                printf '%s\n' '\o' "SELECT round(substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s*(\d+)')::numeric / 1024, 1);" \
                    '\o /dev/null'
            fi
        done
    } | query | paste -s -d ' '
}

# Seconds of loading, into a schema of its own.
pgperf_init_s() { seconds_of load_with_pgperf "$1" bench_load; }
pgperf_init_wire_s() { seconds_of load_over_wire "$1" bench_load; }
pgbench_init_s() { seconds_of load_with_pgbench "$1" bench_load "$2"; }
load_with_pgperf() { query -c "CALL pgperf.init('tpcb-like', scale => $1, schema => '$2')"; }
load_over_wire() { query -c "CALL pgperf.init('tpcb-like', scale => $1, schema => '$2', server => 'bench_target')"; }
load_with_pgbench() { PGOPTIONS="-c search_path=$2" "$bindir/pgbench" -i -I "$3" -s "$1" -q; }

seconds_of() {
    local before after
    query -c "SET client_min_messages = warning" -c "DROP SCHEMA IF EXISTS bench_load CASCADE" \
        -c "CREATE SCHEMA bench_load" -c "CHECKPOINT"
    before=$EPOCHREALTIME
    quietly "$@"
    after=$EPOCHREALTIME
    query -c "SET client_min_messages = warning" -c "DROP SCHEMA bench_load CASCADE"
    awk -v before="$before" -v after="$after" 'BEGIN { print after - before }'
}

# Milliseconds from start_run to the moment when all clients begin.
pgperf_start_ms() {
    local run
    run=$(
        query <<SQL
SELECT pgperf.start_run('select-only', clients => $1, transactions_per_client => 1) AS run \gset
CALL pgperf.wait_run(:run) \gset
SELECT :run;
SQL
    )
    run_tps "$run" >/dev/null
    query -c "SELECT 1000 * extract(epoch FROM measured_at - requested_at) FROM pgperf.runs WHERE run_id = $run"
}

# Milliseconds that pgbench takes to connect its clients.
pgbench_start_ms() { pgbench_says '^initial connection time' select-only "$1" -t 1; }

# Runs a command whose output matters only if it fails.
quietly() {
    local output
    output=$("$@" 2>&1) || die "$* failed: $output"
}
