//! The table: a metric a line, with its name, unit, which way is better, whether it grows with the length of the run, where it
//! is shown, and what it is.

use super::{Better, Metric, Shown, Source};

macro_rules! metrics {
    ($($source:ident $category:ident {
        $($name:ident $unit:literal $better:ident $kind:ident [$($shown:ident)*] $about:literal;)*
    })*) => {
        /// All metrics, in their order.
        pub const METRICS: &[Metric] = &[$($(Metric {
            name: stringify!($name),
            source: metrics!(@source $source),
            category: stringify!($category),
            unit: $unit,
            better: metrics!(@better $better),
            total: metrics!(@kind $kind),
            shown: &[$(metrics!(@shown $shown)),*],
            about: $about,
        },)*)*];
    };
    (@source columns) => { Source::Columns };
    (@source facts) => { Source::Facts };
    (@better higher) => { Some(Better::Higher) };
    (@better lower) => { Some(Better::Lower) };
    (@better neither) => { None };
    (@kind total) => { true };
    (@kind level) => { false };
    (@shown first) => { Shown::First };
    (@shown gated) => { Shown::Gated };
    (@shown always) => { Shown::Always };
}

metrics! {
    columns summary {
        tps "per second" higher level [first gated] "transactions per second";
        duration_s "s" lower level [first] "how long the measured part took; of runs that end after a number of transactions";
        transactions "count" higher total [first] "transactions that were done; of runs that end after a time";
        latency_avg_ms "ms" lower level [first gated] "mean latency of transactions";
        latency_stddev_ms "ms" lower level [first] "standard deviation of the latency of transactions";
        latency_p50_ms "ms" lower level [first] "median latency of transactions";
        latency_p90_ms "ms" lower level [first] "90 % of transactions took no longer";
        latency_p95_ms "ms" lower level [first gated] "95 % of transactions took no longer";
        latency_p99_ms "ms" lower level [first gated] "99 % of transactions took no longer";
        latency_p999_ms "ms" lower level [first] "99.9 % of transactions took no longer";
        latency_p9999_ms "ms" lower level [first] "99.99 % of transactions took no longer";
        latency_max_ms "ms" lower level [first] "the longest latency of transactions";
        failed "count" lower total [first] "transactions that failed after their last try";
        failed_percent "%" lower level [first gated] "their share of the transactions that were due";
        wal_bytes "bytes" neither total [first] "WAL that the clients wrote";
        wal_bytes_per_tx "bytes" lower level [first] "the same per transaction";
        hit_percent "%" higher level [first] "share of the clients' block accesses that shared_buffers answered";
        retried "count" lower total [] "transactions that were tried more than once";
        retries "count" lower total [] "further tries, of all transactions";
        skipped "count" lower total [] "transactions that were too late to begin (rate with latency_limit)";
        late "count" lower total [] "transactions above latency_limit";
        serialization_failures "count" lower total [] "transactions that failed with a serialization failure";
        deadlock_failures "count" lower total [] "transactions that failed with a deadlock";
        other_failures "count" lower total [] "transactions that failed with another error (continue_on_error)";
        lag_avg_ms "ms" lower level [] "mean delay behind the schedule (rate)";
        lag_max_ms "ms" lower level [] "longest delay behind the schedule";
        connect_ms "ms" lower level [] "how long the clients took to connect";
        reconnects "count" neither total [] "new sessions of clients (reconnect)";
        reconnect_avg_ms "ms" lower level [] "mean break between two sessions of a client";
        rows_returned "count" neither total [] "rows that statements returned";
        bytes_returned "bytes" neither total [] "bytes of these rows in the client's format";
        wal_records "count" neither total [] "WAL records that the clients wrote";
        wal_fpi "count" neither total [] "full-page images among them";
        shared_blks_hit "count" neither total [] "blocks that the clients found in shared_buffers";
        shared_blks_read "count" neither total [] "blocks that they had to read";
        shared_blks_dirtied "count" neither total [] "blocks that they were the first to change";
        database_growth_bytes "bytes" neither total [] "growth of the database without pgperf's own history";
        parse_ms "ms" lower level [] "time of the mean transaction spent on parsing and analyzing, mean";
        plan_ms "ms" lower level [] "time of the mean transaction spent on planning, mean";
        execute_ms "ms" lower level [] "time of the mean transaction spent on executing, mean";
        commit_ms "ms" lower level [] "time of the mean transaction spent on committing, mean";
        retry_ms "ms" lower level [] "time of the mean transaction spent on tries that failed";
        first_byte_ms "ms" lower level [] "time of the mean transaction from sending its statements over the wire to the first bytes of their answers, mean";
        receive_ms "ms" lower level [] "time of the mean transaction from those first bytes to the last ones, mean";
    }
    columns scripts {
        tps "per second" higher level [always] "transactions of the script per second, where a run has several scripts";
        latency_avg_ms "ms" lower level [always] "mean latency of the script's transactions";
        latency_stddev_ms "ms" lower level [] "standard deviation of the latency of the script's transactions";
        latency_p50_ms "ms" lower level [] "median latency of the script's transactions";
        latency_p90_ms "ms" lower level [] "90 % of the script's transactions took no longer";
        latency_p95_ms "ms" lower level [always] "95 % of the script's transactions took no longer";
        latency_p99_ms "ms" lower level [] "99 % of the script's transactions took no longer";
        latency_p999_ms "ms" lower level [] "99.9 % of the script's transactions took no longer";
        latency_p9999_ms "ms" lower level [] "99.99 % of the script's transactions took no longer";
        latency_max_ms "ms" lower level [] "the longest latency of the script's transactions";
        failed_percent "%" lower level [] "share of the script's transactions that failed";
    }
    columns servers {
        tps "per second" higher level [always] "transactions of the server's clients per second of the run, where a run has several servers";
        latency_avg_ms "ms" lower level [always] "mean latency of its clients' transactions";
        latency_stddev_ms "ms" lower level [] "standard deviation of the latency of its clients' transactions";
        latency_p50_ms "ms" lower level [] "median latency of its clients' transactions";
        latency_p90_ms "ms" lower level [] "90 % of its clients' transactions took no longer";
        latency_p95_ms "ms" lower level [always] "95 % of its clients' transactions took no longer";
        latency_p99_ms "ms" lower level [] "99 % of its clients' transactions took no longer";
        latency_p999_ms "ms" lower level [] "99.9 % of its clients' transactions took no longer";
        latency_p9999_ms "ms" lower level [] "99.99 % of its clients' transactions took no longer";
        latency_max_ms "ms" lower level [] "the longest latency of its clients' transactions";
        failed_percent "%" lower level [] "share of its clients' transactions that failed";
    }
    columns statements {
        latency_avg_ms "ms" lower level [always] "mean latency of the statement's executions";
        latency_stddev_ms "ms" lower level [always] "standard deviation of the latency of the statement's executions";
        latency_p50_ms "ms" lower level [] "median latency of the statement's executions";
        latency_p90_ms "ms" lower level [] "90 % of the statement's executions took no longer";
        latency_p95_ms "ms" lower level [] "95 % of the statement's executions took no longer";
        latency_p99_ms "ms" lower level [] "99 % of the statement's executions took no longer";
        latency_p999_ms "ms" lower level [] "99.9 % of the statement's executions took no longer";
        latency_p9999_ms "ms" lower level [] "99.99 % of the statement's executions took no longer";
        latency_max_ms "ms" lower level [] "the longest latency of the statement's executions";
        parse_ms "ms" lower level [] "time of the statement spent on parsing and analyzing, mean";
        plan_ms "ms" lower level [] "time of the statement spent on planning, mean";
        execute_ms "ms" lower level [] "time of the statement spent on executing, mean";
        commit_ms "ms" lower level [] "time of the statement spent on committing, mean";
        first_byte_ms "ms" lower level [] "time from sending the statement over the wire to the first byte of its answer, mean";
        receive_ms "ms" lower level [] "time from that first byte to the last one, mean";
        rows_per_call "count" neither level [] "rows returned or changed per execution";
        failed_per_call "count" lower level [] "failures per execution";
        retries_per_call "count" lower level [] "further tries per execution";
        shared_blks_hit_per_call "count" lower level [] "blocks found in shared_buffers per execution";
        shared_blks_read_per_call "count" lower level [] "blocks read per execution";
        shared_blks_dirtied_per_call "count" lower level [] "blocks changed first per execution";
        shared_blks_written_per_call "count" lower level [] "blocks written per execution";
        wal_records_per_call "count" lower level [] "WAL records per execution";
        wal_fpi_per_call "count" lower level [] "full-page images per execution";
        wal_bytes_per_call "bytes" lower level [] "bytes of WAL per execution";
    }
    columns sizes {
        size_bytes "bytes" neither level [always] "size of the main fork at the end";
        growth_bytes "bytes" neither total [always] "its growth";
        total_size_bytes "bytes" neither level [always] "a table with its indexes and its TOAST table, at the end";
        total_growth_bytes "bytes" neither total [] "their growth";
        indexes_size_bytes "bytes" neither level [always] "a table's indexes at the end";
        indexes_growth_bytes "bytes" neither total [] "their growth";
    }
    columns bloat {
        tuple_percent "%" higher level [always] "share of live rows in the size, at the end";
        bloat_percent "%" lower level [always] "share of the size that rewriting would give back, at the end";
    }
    columns vacuum {
        vacuum_count "count" neither total [] "vacuums by hand";
        autovacuum_count "count" neither total [always] "autovacuums";
        analyze_count "count" neither total [] "analyzes by hand";
        autoanalyze_count "count" neither total [] "autoanalyzes";
    }
    columns relations {
        live_tuples "count" neither total [] "live rows at the end, as the statistics estimate them";
        dead_tuples "count" lower total [] "dead rows at the end";
        seq_scan "count" neither total [] "sequential scans";
        idx_scan "count" neither total [] "index scans";
        n_tup_ins "count" neither total [] "rows inserted";
        n_tup_upd "count" neither total [] "rows updated";
        n_tup_hot_upd "count" neither total [] "of these updates, HOT ones";
        n_tup_del "count" neither total [] "rows deleted";
        blks_read "count" neither total [] "blocks read";
        blks_hit "count" neither total [] "blocks found in shared_buffers";
    }
    facts size {
        database_growth_bytes "bytes" neither total [always] "growth of the database without pgperf's own history";
        table_growth_bytes "bytes" neither total [always] "growth of the tables, TOAST tables and materialized views of the run";
        index_growth_bytes "bytes" neither total [always] "growth of their indexes";
    }
    facts wal {
        wal_bytes "bytes" neither total [always] "WAL of the server, by its position, without pgperf's; with a resource manager behind a dot: its part";
        wal_records "records" neither total [always] "WAL records, without pgperf's: counted in the WAL where the environment has `wal_counts` = `exact`, else as the server's sessions report them, late";
        wal_fpi "images" neither total [always] "full-page images, in the same way";
        wal_fpi_percent "percent" neither level [always] "share of full-page images in the bytes of WAL";
        wal_writes "writes" neither total [] "writes of WAL buffers";
        wal_syncs "syncs" neither total [] "syncs of WAL files";
        wal_sync_ms "ms" neither level [] "time these syncs took (track_wal_io_timing)";
        wal_buffers_full "times" lower total [] "how often WAL had to be written because wal_buffers was full";
        xids "transaction ids" neither total [] "transaction ids that were used, without pgperf's";
    }
    facts checkpoint {
        checkpoints_timed "checkpoints" neither total [] "checkpoints due by checkpoint_timeout";
        checkpoints_requested "checkpoints" neither total [] "checkpoints asked for by the amount of WAL or a command";
        checkpoint_buffers "buffers" neither total [] "buffers that checkpoints wrote";
        checkpoint_write_ms "ms" neither level [] "time that checkpoints spent writing";
        checkpoint_sync_ms "ms" neither level [] "time that checkpoints spent syncing";
        bgwriter_buffers "buffers" neither total [] "buffers that the background writer wrote";
        backend_buffers "buffers" neither total [] "buffers that backends wrote themselves (until PostgreSQL 16)";
        backend_fsyncs "syncs" lower total [] "files that backends had to sync themselves (until PostgreSQL 16)";
    }
    facts vacuum {
        vacuum_count "times" neither total [] "vacuums by hand of the relations of the run";
        autovacuum_count "times" neither total [always] "autovacuums of the relations of the run";
        analyze_count "times" neither total [] "analyzes by hand of the relations of the run";
        autoanalyze_count "times" neither total [] "autoanalyzes of the relations of the run";
    }
    facts database {
        database_hit_percent "percent" higher level [] "share of the database's block accesses that shared_buffers answered, without pgperf's";
        rollbacks "transactions" neither total [] "transactions rolled back";
        rollback_percent "percent" lower level [] "share of transactions rolled back, pgperf's samples among those committed";
        deadlocks "deadlocks" lower total [] "deadlocks that the server found";
        temp_files "files" neither total [] "temporary files";
        temp_bytes "bytes" neither total [] "bytes written to temporary files";
    }
    facts host {
        cpu_user_percent "percent" neither level [] "share of the CPU time of the machine: programs";
        cpu_system_percent "percent" neither level [] "the kernel";
        cpu_iowait_percent "percent" neither level [] "idle, waiting for a device";
        cpu_idle_percent "percent" neither level [] "idle";
        cpu_steal_percent "percent" lower level [] "taken by the hypervisor";
        context_switches "switches" neither total [] "context switches of the machine";
        swap_out_pages "pages" lower total [] "pages that were swapped out";
    }
    facts device {
        device_read_bytes "bytes" neither total [] "bytes read from a device, whose name is behind the dot; the same once more under each thing that it holds: `data`, `wal`, `tablespace NAME`, or `beneath data` for the disk of a partition and a member of an array";
        device_write_bytes "bytes" neither total [] "bytes written to it";
        device_reads "requests" neither total [] "read requests";
        device_writes "requests" neither total [] "write requests";
        device_flushes "requests" neither total [] "flushes of its cache";
    }
    columns iostat {
        r_s "per second" neither level [always] "reads of a device at checkpoints, and between them; this and the following as `iostat -x` shows them";
        rkb_s "kB per second" neither level [always] "kB read";
        r_await "ms" lower level [always] "mean time of a read";
        rareq_sz "kB" neither level [always] "mean size of a read";
        w_s "per second" neither level [always] "writes";
        wkb_s "kB per second" neither level [always] "kB written";
        w_await "ms" lower level [always] "mean time of a write";
        wareq_sz "kB" neither level [always] "mean size of a write";
        f_s "per second" neither level [always] "flushes of the device's cache";
        f_await "ms" lower level [always] "mean time of a flush";
        aqu_sz "requests" lower level [always] "mean number of requests in progress";
        util "percent" lower level [always] "share of the time with a request in progress";
    }
    facts workload {
        sessions_lost "count" lower total [always] "sessions that clients lost and looked for another one (`reconnect_on_loss`)";
        without_server_avg_ms "ms" lower level [always] "how long a client had no session because of that, of all clients";
        without_server_max_ms "ms" lower level [always] "the same of the client that had none for longest";
        sustainable_tps "per second" higher level [first] "transactions over the time until a [receiver](replication.md) had them all, with its name behind a dot; without one: the lowest of all receivers";
        catch_up_s "s" lower level [] "how long it took to catch up after the clients had ended; without a name: the longest";
        receiver_lag_bytes "bytes" lower level [] "the most WAL that it was behind; without a name: of all receivers";
        nopm "per minute" higher level [first always] "new orders of `tpcc-like` that were committed, per minute";
        tpm "per minute" higher level [first always] "transactions of all its types per minute";
        invalid_orders_percent "%" neither level [always] "share of its new orders that were rolled back for an invalid item; 1 is due";
        slow_types "count" lower level [always] "its transaction types of which 10 % take longer than TPC-C allows: 5 s, stock level 20 s";
        remote_payments_percent "%" neither level [always] "share of its payments by a customer of another warehouse; 15 is due";
        remote_lines_percent "%" neither level [always] "share of its order lines that another warehouse supplies; 1 is due";
        by_last_name_percent "%" neither level [always] "share of its customers of payments and order status that were looked up by last name; 60 is due";
        rows_per_second "per second" higher level [first always] "rows that `bulk_insert` inserted per second";
        events "count" higher total [] "events as sysbench counts them, where they are not transactions: rows of `bulk_insert`";
        terminal_efficiency_percent "%" higher level [always] "transactions of the terminals, as a share of those that they would do if transactions took no time";
        tps_precision_percent "%" neither level [] "how far the mean tps may be off, the looks in between accounted for; of runs with `until_precise`";
        latency_min_ms "ms" lower level [] "the shortest latency of transactions, to the resolution of histograms";
        client_transactions_stddev "count" lower total [] "standard deviation of the numbers of transactions that the clients did";
        client_time_avg_s "s" neither total [] "time that a client spent in transactions, mean over the clients";
        client_time_stddev_s "s" lower total [] "its standard deviation";
        client_transactions_avg "count" neither total [] "mean of the numbers of transactions that the clients did, as sysbench prints it";
        latency_sum_ms "ms" neither total [] "sum of the latencies of transactions, as sysbench prints it";
        queries "count" neither total [] "queries as sysbench counts them";
        queries_read "count" neither total [] "those that read";
        queries_write "count" neither total [] "those that write";
        queries_other "count" neither total [] "those that do neither";
        queries_per_second "per second" higher level [always] "queries per second, as sysbench prints them";
        read_write_requests_per_second "per second" higher level [] "the same of older versions, of queries that read or write";
        other_operations_per_second "per second" higher level [] "and of the others";
        queue_length_max "count" lower level [] "longest queue of events that were due (sysbench with a rate)";
        concurrency_max "count" neither level [] "most events that were at work at the same time (sysbench with a rate)";
        total_time_s "s" neither total [] "run time as sysbench prints it, where its rate is over another one";
        tps_printed "per second" higher level [first always] "transactions per second as pgbench printed them, where their number is not known";
        tps_including_connections "per second" higher level [] "transactions per second with the time for connecting, as pgbench printed it until 13";
        latency_avg_with_failures_ms "ms" lower level [] "mean latency with the time of failed transactions, as pgbench prints it where it measures no single ones";
        geometric_mean_s "s" lower level [first always] "geometric mean of the query times of `tpch-like`, and of TPROC-H over its virtual users";
        power_at_size "per hour" higher level [always] "queries of `tpch-like` per hour by the geometric mean of their times, with those of the refresh functions if there are `refreshes`, times the scale; of a run of one stream";
        throughput_at_size "per hour" higher level [always] "its queries per hour, over all streams, times the scale";
        queries_per_hour_at_size "per hour" higher level [first always] "the square root of the product of both; of a run of one stream";
        query_times_s "s" lower level [always] "sum of the mean times of its 22 queries";
        slowest_query_s "s" lower level [always] "mean time of its slowest query";
        queries_without_time "count" lower level [always] "its queries and refresh functions that failed or were not run: with any, the metrics of all queries are NULL";
        refreshes "count" neither total [always] "its refresh functions that were run: with none, power and throughput are of queries alone";
        query_sets_s "s" lower level [always] "time that the slowest virtual user of TPROC-H took for his query sets";
        procedure_min_ms "ms" lower level [] "shortest call of HammerDB's procedure behind the dot";
        procedure_p25_ms "ms" lower level [] "25 % of its calls took no longer";
        procedure_p75_ms "ms" lower level [] "75 % of its calls took no longer";
        procedure_total_ms "ms" neither total [] "time of all its calls";
        procedure_time_percent "%" neither level [] "its share of the elapsed time";
        statement_calls "count" neither total [always] "calls of all statements in a dump of pg_stat_statements";
        statement_time_ms "ms" neither total [always] "their execution time";
    }
    facts pgperf {
        pgperf_history_bytes "bytes" neither total [] "growth of pgperf's history";
        pgperf_wal_bytes "bytes" neither total [] "WAL that pgperf wrote for itself";
        pgperf_xids "transaction ids" neither total [] "transaction ids that pgperf used for itself";
        transaction_log_wait_ms "ms over all clients" neither level [] "how long clients waited for the transaction log to be stored";
    }
}
