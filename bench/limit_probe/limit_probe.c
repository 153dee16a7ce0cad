/*
 * The yardstick for pgperf's own loop: the least that a background worker must do to run a pgbench script
 * through the plan cache and a portal for each statement, as for Bind, Execute and Sync of a prepared one.
 *
 *   SELECT limit_probe('select-only' or 'tpcb-like', seconds, scale);   returns the worker's pid
 *
 * The worker writes "limit_probe <pid>: <rate> tps" to the server's log. It drops the rows, measures nothing
 * but its rate, and knows neither errors nor timeouts: what pgperf adds to it is what pgperf costs.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/analyze.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(limit_probe);
PGDLLEXPORT void limit_probe_main(Datum arg);

/* The values that a transaction draws; a statement's parameters are some of them. */
enum { AID, BID, TID, DELTA, VALUES };

typedef struct Step
{
	const char *sql;
	int			nparams;
	int			params[VALUES];
	CommandTag	tag;
	CachedPlanSource *plan;
	bool		snapshot;
} Step;

static Step select_only[] = {
	{"SELECT abalance FROM pgbench_accounts WHERE aid = $1", 1, {AID}},
	{NULL}
};

static Step tpcb_like[] = {
	{"BEGIN"},
	{"UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2", 2, {DELTA, AID}},
	{"SELECT abalance FROM pgbench_accounts WHERE aid = $1", 1, {AID}},
	{"UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2", 2, {DELTA, TID}},
	{"UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2", 2, {DELTA, BID}},
	{"INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
	4, {TID, BID, AID, DELTA}},
	{"END"},
	{NULL}
};

typedef struct Order
{
	bool		tpcb;
	int			seconds;
	int			scale;
	Oid			database;
	Oid			role;
} Order;

StaticAssertDecl(sizeof(Order) <= BGW_EXTRALEN, "the order travels with the worker");

/* All parameters are integers; the plan stays for the worker's life. */
static void
prepare(Step *step)
{
	Oid			types[VALUES] = {INT4OID, INT4OID, INT4OID, INT4OID};
	RawStmt    *raw;
	List	   *queries;
	bool		analyzed;

	StartTransactionCommand();
	MemoryContextSwitchTo(MessageContext);
	raw = linitial_node(RawStmt, pg_parse_query(step->sql));
	analyzed = analyze_requires_snapshot(raw);
	step->snapshot = analyzed || step->nparams > 0;
	step->tag = CreateCommandTag(raw->stmt);
	step->plan = CreateCachedPlan(raw, step->sql, step->tag);
	if (analyzed)
		PushActiveSnapshot(GetTransactionSnapshot());
	queries = pg_analyze_and_rewrite_fixedparams(raw, step->sql, types, step->nparams, NULL);
	if (analyzed)
		PopActiveSnapshot();
	CompleteCachedPlan(step->plan, queries, NULL, types, step->nparams, NULL, NULL,
					   CURSOR_OPT_PARALLEL_OK, true);
	SaveCachedPlan(step->plan);
	CommitTransactionCommand();
	MemoryContextReset(MessageContext);
}

static void
run(const Step *step, const int32 *values)
{
	ParamListInfo params = NULL;
	CachedPlan *cached;
	Portal		portal;
	QueryCompletion done;

	SetCurrentStatementStartTimestamp();
	pgstat_report_activity(STATE_RUNNING, step->sql);
	StartTransactionCommand();
	MemoryContextSwitchTo(MessageContext);

	portal = CreatePortal("", true, true);
	portal->visible = false;
	if (step->snapshot)
		PushActiveSnapshot(GetTransactionSnapshot());
	if (step->nparams > 0)
	{
		MemoryContextSwitchTo(portal->portalContext);
		params = makeParamList(step->nparams);
		for (int i = 0; i < step->nparams; i++)
		{
			ParamExternData *param = &params->params[i];

			param->value = Int32GetDatum(values[step->params[i]]);
			param->isnull = false;
			param->pflags = PARAM_FLAG_CONST;
			param->ptype = INT4OID;
		}
		MemoryContextSwitchTo(MessageContext);
	}
	cached = GetCachedPlan(step->plan, params, NULL, NULL);
	PortalDefineQuery(portal, NULL, step->sql, step->tag, cached->stmt_list, cached);
	if (step->snapshot)
		PopActiveSnapshot();
	PortalStart(portal, params, 0, InvalidSnapshot);
#if PG_VERSION_NUM >= 180000
	PortalRun(portal, FETCH_ALL, true, None_Receiver, None_Receiver, &done);
#else
	PortalRun(portal, FETCH_ALL, true, true, None_Receiver, None_Receiver, &done);
#endif
	PortalDrop(portal, false);
	CommitTransactionCommand();
	MemoryContextReset(MessageContext);
}

static int32
draw(pg_prng_state *random, int64 first, int64 last)
{
	return (int32) (first + (int64) pg_prng_uint64_range(random, 0, (uint64) (last - first)));
}

void
limit_probe_main(Datum arg)
{
	Order		order;
	Step	   *script;
	pg_prng_state random;
	TimestampTz began,
				now,
				end,
				reported;
	uint64		transactions = 0;

	memcpy(&order, MyBgworkerEntry->bgw_extra, sizeof(order));
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(order.database, order.role, 0);
	pgstat_report_appname("limit_probe");
	MessageContext = AllocSetContextCreate(TopMemoryContext, "MessageContext", ALLOCSET_DEFAULT_SIZES);
	script = order.tpcb ? tpcb_like : select_only;
	for (Step *step = script; step->sql; step++)
		prepare(step);
	pg_prng_seed(&random, (uint64) MyProcPid);

	began = now = reported = GetCurrentTimestamp();
	end = began + order.seconds * USECS_PER_SEC;
	while (now < end)
	{
		/* The clock is read now and then, so that it costs nothing. */
		for (int i = 0; i < 64; i++)
		{
			int32		values[VALUES];

			values[AID] = draw(&random, 1, INT64CONST(100000) * order.scale);
			if (order.tpcb)
			{
				values[BID] = draw(&random, 1, order.scale);
				values[TID] = draw(&random, 1, INT64CONST(10) * order.scale);
				values[DELTA] = draw(&random, -5000, 5000);
			}
			for (Step *step = script; step->sql; step++)
				run(step, values);
			transactions++;
			CHECK_FOR_INTERRUPTS();
		}
		now = GetCurrentTimestamp();
		if (now - reported > USECS_PER_SEC)
		{
			pgstat_report_stat(false);
			reported = now;
		}
	}
	ereport(LOG, (errmsg("limit_probe %d: %.1f tps", MyProcPid,
						 transactions * (double) USECS_PER_SEC / (now - began))));
	pgstat_report_stat(true);
	proc_exit(0);
}

Datum
limit_probe(PG_FUNCTION_ARGS)
{
	char	   *script = text_to_cstring(PG_GETARG_TEXT_PP(0));
	BackgroundWorker worker = {0};
	BackgroundWorkerHandle *handle;
	Order		order = {0};
	pid_t		pid;

	order.tpcb = strcmp(script, "tpcb-like") == 0;
	if (!order.tpcb && strcmp(script, "select-only") != 0)
		ereport(ERROR, (errmsg("no such script: %s", script)));
	order.seconds = PG_GETARG_INT32(1);
	order.scale = PG_GETARG_INT32(2);
	order.database = MyDatabaseId;
	order.role = GetUserId();

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_notify_pid = MyProcPid;
	strlcpy(worker.bgw_name, "limit_probe", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "limit_probe", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "limit_probe", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "limit_probe_main", BGW_MAXLEN);
	memcpy(worker.bgw_extra, &order, sizeof(order));
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		ereport(ERROR, (errmsg("no worker slot is free"), errhint("Raise max_worker_processes.")));
	if (WaitForBackgroundWorkerStartup(handle, &pid) != BGWH_STARTED)
		ereport(ERROR, (errmsg("the worker did not start"), errhint("The server's log says why.")));
	PG_RETURN_INT32(pid);
}
