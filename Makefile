# make help lists the targets; without one: build. The work is done by tools/, which also installs missing packages.
# PG_CONFIG=/path/to/pg_config or PGPERF_MAJOR=17 chooses the server; TESTS='a b' chooses pg_regress tests,
# INTEGRATION='run::limits history::' integration tests; MAJORS='17 18' the majors of test-matrix and test-pg-upgrade; SUITES='isolation'
# suites of PostgreSQL.
ifdef PG_CONFIG
export PG_CONFIG
endif
ifdef PGPERF_MAJOR
export PGPERF_MAJOR
endif

.PHONY: all build install dist test-dist deb test-deb test-packages rpm test-rpm release demo server test test-full test-unit test-regress test-integration test-matrix test-assertions test-foreign test-sanitizer test-threads mutants mutants-server \
	test-pg-upgrade test-thousand-runs test-families test-go-tpc test-citus soak installcheck bench lint lint-sql clean distclean help
.NOTPARALLEL:

# What pgxn install calls.
all: build

build: ## build the extension
	@tools/build

install: ## install it into the server of PG_CONFIG (the machine's own by default)
	@tools/install

dist: ## dist/pgperf-VERSION.zip for PGXN, of what is committed
	@tools/dist

deb: ## Debian's packages for the PostgreSQL of this Debian, in dist/
	@tools/deb

test-deb: ## the same, lintian, and a second build that has to be equal
	@tools/deb check

test-packages: ## install the packages of dist/ in a new Debian, use and remove them (SUITE=bookworm MAJORS=15)
	@tools/try-packages $(or $(SUITE),bookworm) $(or $(MAJORS),15)

rpm: ## the RPM for the PostgreSQL of PG_CONFIG, in dist/
	@tools/rpm

test-rpm: ## the same; it has to have what make install installs
	@tools/rpm check

release: ## all that a release has, in dist/, of what is committed
	@tools/release

demo: ## set up everything and show a 20-second run in a throw-away cluster
	@tools/demo

server: ## psql in a server of the checkout that stays, built and updated if need be
	@tools/server

test: test-unit test-regress test-integration ## all tests except the longest

test-full: ## all tests, and pg_upgrade from the machine's major to newer ones
	@FULL=yes $(MAKE) test
	@$(MAKE) test-families
	@$(MAKE) test-go-tpc
	@tools/pg-upgrade $(MAJORS)
	@tools/matrix quick 16 17 18

test-unit: ## tests of the pure modules, without a server
	@tools/cargo test --lib --package pgperf --package pgperf-script --package pgperf-measure --package pgperf-engine --package pgperf-results --package pgperf-memory --package pgperf-capture --package pgperf-replay --package pgperf-wire
	@cargo test --package pgperf-mutator

test-regress: ## pg_regress with a temporary instance
	@tools/regress temp $(TESTS)

test-integration: ## tests of runs, crashes and shutdowns in throw-away clusters
	@tools/integration $(INTEGRATION)

test-matrix: ## lint and all tests on each supported major that is available
	@tools/matrix $(MAJORS)

test-assertions: ## all tests except pg_cron's under a server with assertions, built from Debian's source
	@tools/assertions

test-foreign: ## PostgreSQL's own suites beside a busy pgperf (SUITES='regress amcheck' for some)
	@tools/foreign $(SUITES)

test-sanitizer: ## unit tests under the address sanitizer
	@tools/sanitizer

test-threads: ## unit tests of what works in threads under the thread sanitizer; builds the standard library the first time
	@tools/thread-sanitizer

mutants: ## how many small changes of the pure crates their unit tests notice; takes hours
	@tools/mutants

mutants-server: ## how many small changes of the extension, in Rust and SQL, the tests near them notice (MUTANTS=60 SEED=7); a minute each
	@tools/mutants-server

soak: ## ten minutes (PGPERF_SOAK_SECONDS) at full rate; nothing may grow
	@PGPERF_SOAK_SECONDS=$${PGPERF_SOAK_SECONDS:-600} tools/integration long::soak:: --nocapture

test-pg-upgrade: ## pg_upgrade, dumps and runs as documents from the machine's PostgreSQL to newer majors
	@tools/pg-upgrade $(MAJORS)

test-dist: ## the same, and install it by pgxn install into a server of its own
	@tools/dist check

test-thousand-runs: ## a thousand runs one after the other; half an hour
	@PGPERF_RUNS=1000 tools/integration long::many_runs::nothing_grows

test-families: ## a family of workloads beside pgbench, in a library with the feature toy
	@EXTRA_FEATURES=toy tools/integration families::

test-go-tpc: ## go-tpc checks the tables of tpcc-like, and the other way round; takes Go
	@program=$$(tools/go-tpc) && PGPERF_GO_TPC=$$program FULL=yes tools/integration families::tpcc_referee:: --ignored

test-citus: ## tests on a Citus coordinator, built from CITUS=/path/to/its/source if the server lacks it
	@tools/citus && PGPERF_CITUS=required tools/integration server::citus::

installcheck: ## pg_regress against a running server (PGHOST, PGPORT, PGUSER) that has pgperf installed
	@tools/regress running $(TESTS)

bench: ## side by side with pgbench
	@bench/run

lint: ## formatting, clippy, imports upward or in a circle, and the crates' licences, duplicates and sources
	@tools/lint-imports
	@tools/lint-crates
	@cargo fmt --all --check
	@EXTRA_FEATURES=bench tools/cargo clippy --package pgperf --package pgperf-script --package pgperf-measure --package pgperf-engine --package pgperf-results --package pgperf-memory --package pgperf-capture --package pgperf-replay --package pgperf-wire --package pgperf-mutator --all-targets -- -D warnings
	@cargo clippy --package pgperf-tests --all-targets -- -D warnings

lint-sql: ## names in the install and upgrade scripts that somebody could capture, and non-ASCII characters
	@tools/lint-sql

clean: ## remove build results
	rm -rf target

distclean: clean ## remove build results and the private prefix
	rm -rf .prefix

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-18s %s\n", $$1, $$2}' Makefile
