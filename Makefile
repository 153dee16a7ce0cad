# make help tells what there is. The work is in tools/, which gets what the machine lacks by itself.
# PG_CONFIG=/path/to/pg_config or PGPERF_MAJOR=17 chooses the server; TESTS='a b' some of the pg_regress tests,
# INTEGRATION='run::limits history::' of the integration tests; MAJORS='17 18' those of test-matrix and test-pg-upgrade; SUITES='isolation'
# some of PostgreSQL's own.
ifdef PG_CONFIG
export PG_CONFIG
endif
ifdef PGPERF_MAJOR
export PGPERF_MAJOR
endif

.PHONY: build install demo test test-full test-unit test-regress test-integration test-matrix test-assertions test-foreign test-sanitizer \
	test-pg-upgrade test-thousand-runs test-families test-citus soak installcheck bench lint lint-sql clean distclean help
.NOTPARALLEL:

build: ## build the extension
	@tools/build

install: ## install it into the server of PG_CONFIG (the machine's own by default)
	@tools/install

demo: ## set up everything and show a 20-second run in a throw-away cluster
	@tools/demo

test: test-unit test-regress test-integration ## all tests but the longest

test-full: ## those, too, and the ways from the machine's major to newer ones
	@FULL=yes $(MAKE) test
	@$(MAKE) test-families
	@tools/pg-upgrade $(MAJORS)

test-unit: ## tests of the pure modules, without a server
	@tools/cargo test --lib --package pgperf --package pgperf-script --package pgperf-measure

test-regress: ## pg_regress with a temporary instance
	@tools/regress temp $(TESTS)

test-integration: ## tests of runs, crashes and shutdowns in throw-away clusters
	@tools/integration $(INTEGRATION)

test-matrix: ## lint and all tests on each supported major that can be had
	@tools/matrix $(MAJORS)

test-assertions: ## all tests but that of pg_cron under a server with assertions, built from Debian's source
	@tools/assertions

test-foreign: ## PostgreSQL's own suites beside a working pgperf (SUITES='regress amcheck' for some)
	@tools/foreign $(SUITES)

test-sanitizer: ## unit tests under the address sanitizer
	@tools/sanitizer

soak: ## ten minutes (PGPERF_SOAK_SECONDS) at full rate, in which nothing may grow
	@PGPERF_SOAK_SECONDS=$${PGPERF_SOAK_SECONDS:-600} tools/integration long::soak:: --nocapture

test-pg-upgrade: ## pg_upgrade, dumps and runs as documents from the machine's PostgreSQL to newer majors
	@tools/pg-upgrade $(MAJORS)

test-thousand-runs: ## a thousand runs one after the other; half an hour
	@PGPERF_RUNS=1000 tools/integration long::many_runs::nothing_grows

test-families: ## a family of workloads beside pgbench, in a library with the feature toy
	@EXTRA_FEATURES=toy tools/integration families::

test-citus: ## tests on a coordinator of Citus, built from CITUS=/path/to/its/source unless the server has it
	@tools/citus && PGPERF_CITUS=required tools/integration server::citus::

installcheck: ## pg_regress against a running server (PGHOST, PGPORT, PGUSER) that has pgperf installed
	@tools/regress running $(TESTS)

bench: ## side by side with pgbench
	@bench/run

lint: ## formatting, clippy, and imports upward or in a circle
	@tools/lint-imports
	@cargo fmt --all --check
	@EXTRA_FEATURES=bench tools/cargo clippy --package pgperf --package pgperf-script --package pgperf-measure --all-targets -- -D warnings
	@cargo clippy --package pgperf-tests --all-targets -- -D warnings

lint-sql: ## names in the install script that somebody could capture, and characters that are not ASCII
	@tools/lint-sql

clean: ## remove what was built
	rm -rf target

distclean: clean ## and the private prefix
	rm -rf .prefix

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-18s %s\n", $$1, $$2}' Makefile
