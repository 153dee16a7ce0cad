# make help tells what there is. The work is in tools/, which gets what the machine lacks by itself.
# PG_CONFIG=/path/to/pg_config chooses the server; TESTS='a b' some of the pg_regress tests.
ifdef PG_CONFIG
export PG_CONFIG
endif

.PHONY: build install demo test test-unit test-regress test-integration installcheck bench lint lint-sql clean distclean help
.NOTPARALLEL:

build: ## build the extension
	@tools/build

install: ## install it into the server of PG_CONFIG (the machine's own by default)
	@tools/install

demo: ## set up everything and show a 20-second run in a throw-away cluster
	@tools/demo

test: test-unit test-regress test-integration ## all tests

test-unit: ## tests of the pure modules, without a server
	@tools/cargo test --lib

test-regress: ## pg_regress with a temporary instance
	@tools/regress temp $(TESTS)

test-integration: ## tests of runs, crashes and shutdowns in throw-away clusters
	@tools/integration

installcheck: ## pg_regress against a running server (PGHOST, PGPORT, PGUSER) that has pgperf installed
	@tools/regress running $(TESTS)

bench: ## side by side with pgbench
	@bench/run

lint: ## formatting and clippy
	@cargo fmt --check
	@EXTRA_FEATURES=bench tools/cargo clippy --all-targets -- -D warnings

lint-sql: ## names in the install script that somebody could capture
	@tools/lint-sql

clean: ## remove what was built
	rm -rf target

distclean: clean ## and the private prefix
	rm -rf .prefix

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-18s %s\n", $$1, $$2}' Makefile
