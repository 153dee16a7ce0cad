#!/bin/sh
# A guard of a sweep that restarts the server: sh DATA/pgperf_restart/guard.
#
# Two of them run as long as the sweep does, apart from the server. One acts: it restarts the server where the sweep asks for it,
# starts one that was killed, and where the server does not start with the values of the sweep it puts back what
# postgresql.auto.conf had. The other one waits until the first is gone, and takes its place. All they know is in the files beside
# this one, which pgperf writes:
#
#   command    the shell command that restarts the server, and starts one that is down
#   lines      of postgresql.auto.conf, two by two: one that the sweep may write, and the one before it (empty: none)
#   request    process id and start of the server that is to be restarted; stays until the sweep goes on
#   patience   seconds after which it should have gone on
#   done       the guards have to leave. Without the folder they leave, too
#
# which they write:
#
#   starting   since they have run the command, until the server is ready or the sweep has gone on: nobody else has stopped a server
#              that is down meanwhile
#   failed     a word for what has failed, and a line with the reason
#   stderr     the file that the server writes its errors to
#   sizes      the sizes of logs before the command ran
#
# and which are locked, by the acting guard (acting), the other one (standby), the running command (running), the worker of the
# sweep (sweep).
set -u
umask 077
here=${0%/*}
log=${here%/*}/pgperf_restart.log
cd "$here" || exit

# Children do not get the lock of the acting guard.
apart() { "$@" 8>&-; }

# Whether nobody has this lock.
free() { flock -n 7 7>>"$1" 8>&- 2>/dev/null; }

# Writes a file as a whole.
keep() {
    printf '%s\n' "$2" >"$1.new" && mv -f "$1.new" "$1"
}

say() { printf '%s pgperf guard: %s\n' "$(apart date '+%Y-%m-%d %H:%M:%S')" "$1" >>"$log"; }

# The state of the server: whether it is alive, was killed (its file is there, its process is not) or was stopped (neither).
look() {
    pid='' started='' status='' alive='' killed=''
    [ -e ../postmaster.pid ] || return 0
    {
        read -r pid
        read -r status
        read -r started
        for line in 4 5 6 7 8; do read -r status || status=''; done
    } 2>/dev/null <../postmaster.pid
    if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
        alive=yes
    elif [ -e ../postmaster.pid ]; then
        killed=yes
    fi
}

is_ready() { [ -n "$alive" ] && [ "$status" = ready ]; }

# Puts back the lines of postgresql.auto.conf; those that somebody else has changed stay. Fails on a full disk, for example; then it is
# to be tried again.
restore() {
    restore_lines && return
    # What there is of it takes room.
    apart rm -f ../postgresql.auto.conf.pgperf
    [ -n "${untold-yes}" ] && say 'cannot put back the settings before the sweep, and tries again'
    untold=''
    return 1
}

restore_lines() {
    apart cp -p ../postgresql.auto.conf ../postgresql.auto.conf.pgperf 2>/dev/null &&
        LC_ALL=C apart awk '
            FILENAME == ARGV[1] && FNR % 2 { given = $0; next }
            FILENAME == ARGV[1] { before[given] = $0; next }
            !($0 in before) { print; next }
            before[$0] != "" { print before[$0] }
        ' lines ../postgresql.auto.conf >../postgresql.auto.conf.pgperf || return
    untold=yes
    if apart cmp -s ../postgresql.auto.conf ../postgresql.auto.conf.pgperf; then
        apart rm -f ../postgresql.auto.conf.pgperf
    else
        apart sync ../postgresql.auto.conf.pgperf 2>/dev/null || apart sync
        apart mv -f ../postgresql.auto.conf.pgperf ../postgresql.auto.conf || return
        say 'put back the settings before the sweep'
    fi
}

# Ends both guards, and removes their files; the log only where the server does not write to it.
leave() {
    : >done
    look
    [ "/proc/${pid:-none}/fd/2" -ef "$log" ] || apart rm -f "$log"
    # The folder of this name may be one of guards that came later.
    if [ . -ef "$here" ]; then
        apart rm -rf "$here.old"
        apart mv "$here" "$here.old"
    fi
    cd /
    apart rm -rf "$here.old"
    exit 0
}

keep_standby() {
    if free standby; then
        setsid /bin/sh "$0" </dev/null >>"$log" 2>&1 8>&- &
    fi
}

# The logs that may say why the server does not start: what the command says, that of the logging collector, and last the file
# that the server's errors go to.
logs() {
    printf '%s\n' "$log"
    collected=$(apart sed -n 's/^stderr //p' ../current_logfiles 2>/dev/null)
    case $collected in
    '') ;;
    /*) printf '%s\n' "$collected" ;;
    *) printf '%s\n' "../$collected" ;;
    esac
    apart cat stderr 2>/dev/null
}

note_logs() {
    if [ -n "$alive" ] && [ -f "/proc/$pid/fd/2" ]; then
        keep stderr "$(apart readlink "/proc/$pid/fd/2")"
    fi
    logs | while read -r file; do
        [ -f "$file" ] && printf '%s %s\n' "$(apart wc -c <"$file")" "$file"
    done >sizes
}

# What was logged since.
logged() {
    logs | while read -r file; do
        [ -f "$file" ] || continue
        size=$(apart awk -v file="$file" '{ size = $1; sub(/^ *[0-9]+ /, ""); if ($0 == file) print size }' sizes)
        apart tail -c "+$((${size:-0} + 1))" "$file"
    done
}

# The line of it that says why the server did not start.
reason() {
    text=$(logged)
    why=$(printf '%s\n' "$text" | LC_ALL=C apart sed -n -e 's/^.*FATAL:  */FATAL: /p' -e 's/^.*PANIC:  */PANIC: /p' | apart tail -n 1)
    # What is wrong with several settings together has no level.
    [ -n "$why" ] || why=$(printf '%s\n' "$text" | LC_ALL=C apart grep -a '^postgres: ' | apart tail -n 1)
    [ -n "$why" ] || why=$(printf '%s\n' "$text" | LC_ALL=C apart grep -a . | apart tail -n 1)
    printf '%s\n' "$why"
}

# Runs the command, and waits for its end; it has its own session, and outlives this guard. Its exit status is in code.
run_command() {
    note_logs
    # Empty, so that it needs no room; its time is that of the command.
    : >starting
    code=0
    setsid /bin/sh -c 'flock -n 7 || exit; cd /; /bin/sh "$0/command" 7>&-' "$here" 7>>running </dev/null >>"$log" 2>&1 8>&- &
    job=$!
    apart sleep 0.1
    while kill -0 "$job" 2>/dev/null; do
        keep_standby
        apart sleep 0.2
    done
    wait "$job" || code=$?
}

# What the sweep asked for has failed: the settings of before are to be in force again.
give_up() {
    keep failed "$1
$2"
    say "failed ($1): $2"
    restore
    run_command
}

# A server that runs is to be restarted.
replace() {
    say "restarts the server, process $pid"
    tries=0 waited_for_sweep=0 waited=0
    run_command
    while look && is_ready && [ "$pid $started" = "$asked" ]; do
        if [ "$code" -ne 0 ] || [ "$waited" -ge 60 ]; then
            keep failed "command
$(logged | LC_ALL=C apart grep -a . | apart tail -n 1)"
            apart rm -f starting
            say 'the command has not restarted the server'
            return
        fi
        waited=$((waited + 1))
        keep_standby
        apart sleep 0.5
    done
}

# The server is down, and has to run.
start() {
    tries=$((tries + 1))
    # From the second time on, the logs say nothing but why it did not start.
    if [ "$tries" -gt 1 ] && [ ! -e failed ]; then
        why=$(reason)
        case $killed$why in
        # It was killed, or processes of a killed one still have its memory.
        yes* | *' still in use'*) limit=60 ;;
        '') limit=4 ;;
        *) limit=1 ;;
        esac
        if [ "$tries" -gt "$limit" ]; then
            give_up start "$why"
            return
        fi
    fi
    [ ! -e failed ] || restore
    say "starts the server (${killed:+it was killed, }try $tries)"
    run_command
}

# Nobody claims what is done for the sweep.
unclaimed() {
    waited_for_sweep=$((waited_for_sweep + 1))
    read -r patience <patience
    [ "$waited_for_sweep" -ge $((${patience:-300} * 2)) ] || return
    waited_for_sweep=0
    if [ -e failed ]; then
        say 'the sweep does not go on'
        leave
    fi
    give_up sweep ''
}

# A restart is asked for.
serve_request() {
    read -r asked <request || return
    if [ -n "$alive" ]; then
        down=0
        if is_ready && [ "$pid $started" = "$asked" ]; then
            if [ -e failed ]; then unclaimed; else replace; fi
        elif is_ready; then
            tries=0
            [ ! -e starting ] || apart rm -f starting
            unclaimed
        fi
        return
    fi
    stopped && return
    start
}

# Whether the server that the command has started was up, and has ended since. It writes its options as it begins, and at the end of its
# start and at its own end the control file, with its state in the fifth word: 1 after a stop, 6 after an immediate one. One that cannot start
# leaves that file alone, or in the state of a recovery.
was_up() {
    [ ../postmaster.opts -nt starting ] && [ ../global/pg_control -nt ../postmaster.opts ] || return
    state=$(apart od -An -tu4 -j16 -N4 ../global/pg_control 2>/dev/null | apart tr -d ' ')
    [ "$state" = 1 ] || [ "$state" = 6 ]
}

# Whether somebody may have stopped the server; that holds. Seen once, it may be just starting.
stopped() {
    [ -z "$killed" ] || return
    [ ! -e starting ] || was_up || return
    down=$((down + 1))
    [ "$down" -lt 2 ] && return
    restore || return 0
    leave
}

# No restart is asked for.
watch() {
    waited_for_sweep=0
    if [ -n "$alive" ]; then
        down=0 tries=0
        if is_ready && [ -e starting ]; then apart rm -f starting; fi
        looks=$((looks + 1))
        [ $((looks % 30)) -eq 0 ] || return
        if free sweep; then orphaned=$((orphaned + 30)); else orphaned=0; fi
        read -r patience <patience
        [ "$orphaned" -ge "${patience:-300}" ] || return
        say 'the sweep is gone'
        restore || return
        kill -HUP "$pid"
        leave
    fi
    stopped && return
    # The sweep is interrupted: its settings are not to be in force.
    restore
    tries=$((tries + 1))
    say "starts the server, which was killed (try $tries)"
    run_command
    [ "$tries" -lt 10 ] || apart sleep 10
}

exec 8>>acting 9>>standby
if ! flock -n 8; then
    flock -n 9 || exit 0
    flock 8 9>&-
fi
exec 9>&-

down=0 tries=0 looks=0 orphaned=0 waited_for_sweep=0
while [ -e command ]; do
    look
    # Not before the server runs, unless somebody has stopped it.
    if [ -e done ] && [ -z "$killed" ]; then
        [ -z "$alive" ] && [ -e starting ] && ! was_up || leave
    fi
    keep_standby
    # One that a guard before this one has begun.
    if [ -e starting ] && ! free running; then
        apart sleep 0.2
    elif [ -e request ]; then
        serve_request
        apart sleep 0.5
    else
        watch
        apart sleep 1
    fi
done
