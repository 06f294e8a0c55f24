# Makefile: short names for common jobs. CMake (CMakePresets.json) builds everything.
# Not here: compiler flags (CMakePresets.json, CMakeLists.txt), package names (tools/install-deps).

MAKEFLAGS += --no-print-directory --no-builtin-rules
SHELL := /bin/bash
JOBS ?= $(shell nproc)
LOGS := build/logs

.PHONY: all configure build build-tests run test test-kernels test-platforms unit dev test-asan test-tsan fuzz nightly bench bench-quick bench-safety lint docs format clean help deps-build deps-test deps-kernels deps-platforms deps-lint deps-bench deps-fuzz
.NOTPARALLEL:
all: build

deps-build deps-test deps-kernels deps-platforms deps-lint deps-bench deps-fuzz: deps-%:
	@tools/install-deps build $*

configure: deps-build
	@[ -f build/build.ninja ] || [ -f build/Makefile ] || \
	  tools/step configure $(LOGS)/configure.log tools/configure release build

build: configure           ## build/bin/pinfold: one static program; pinfold-web beside it
	@tools/step build $(LOGS)/build.log cmake --build build -j $(JOBS) --target pinfold pinfold_web

build-tests: configure
	@tools/step 'build (with tests)' $(LOGS)/build-tests.log cmake --build build -j $(JOBS)

run: build                 ## a live tour: forty attempts without and with Pinfold, one of them by a plugin
	@tools/demo build/bin/pinfold

test: deps-test build-tests ## unit, command line, escape and liveness tests
	@tests/run build/bin/pinfold

test-kernels: deps-kernels build-tests ## the escape suite on other kernels and degraded hosts, in QEMU guests
	@tests/kernels/run build/bin/pinfold --jobs $(JOBS)

test-platforms: deps-platforms ## the programs for macOS and Windows: built, and tested as far as this machine can
	@JOBS=$(JOBS) tests/platforms/run

unit: build-tests          ## only the unit tests
	@build/bin/pinfold_unit_tests --gtest_brief=1

dev: deps-build            ## after a change of one file: pinfold and the unit tests of FOLDER=cli, not optimised, in build-dev/
	@[ -f build-dev/build.ninja ] || [ -f build-dev/Makefile ] || \
	  tools/step 'configure (dev)' build-dev/logs/configure.log tools/configure dev build-dev
	@tools/step 'build (dev)' build-dev/logs/build.log \
	  cmake --build build-dev -j $(JOBS) --target pinfold $(if $(FOLDER),unit_$(FOLDER))
	@$(if $(FOLDER),build-dev/bin/unit_$(FOLDER) --gtest_brief=1)

test-asan: deps-build      ## the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f build-asan/build.ninja ] || [ -f build-asan/Makefile ] || \
	  tools/step 'configure (sanitizers)' build-asan/logs/configure.log tools/configure asan build-asan
	@tools/step 'build (sanitizers)' build-asan/logs/build.log \
	  cmake --build build-asan -j $(JOBS) --target pinfold_unit_tests
	@tools/step 'unit tests (sanitizers)' build-asan/logs/unit.log build-asan/bin/pinfold_unit_tests --gtest_brief=1
	@tail -n 1 build-asan/logs/unit.log

test-tsan: deps-test build-tests ## the threaded parts (file search, the web page), under ThreadSanitizer
	@[ -f build-tsan/CMakeCache.txt ] || \
	  tools/step 'configure (threads)' build-tsan/logs/configure.log cmake -S tests/threads/tsan -B build-tsan -G Ninja
	@tools/step 'build (threads)' build-tsan/logs/build.log cmake --build build-tsan -j $(JOBS)
	@tests/threads/run build/bin/pinfold build-tsan

fuzz: deps-fuzz            ## every parser of untrusted text, SECONDS=10 for each
	@JOBS=$(JOBS) fuzz/run $(or $(SECONDS),10)

nightly: deps-test build-tests ## the long sweeps of tests/nightly/run: hours
	@tests/nightly/run build/bin/pinfold

bench: deps-bench build    ## Pinfold beside its peers: bench/results.json, docs/benchmarks/; never fails for being slow
	@tools/step 'build (bench)' $(LOGS)/build-bench.log cmake --build build -j $(JOBS) --target bench_programs
	@bench/run build/bin/pinfold --write

bench-quick: build         ## instructions of fixed work against bench/baseline.json; fails when a tenth worse
	@tools/install-deps bench-quick
	@tools/step 'build (bench)' $(LOGS)/build-bench.log cmake --build build -j $(JOBS) --target quick_jobs
	@bench/quick build/bin/pinfold

bench-safety: build        ## detection and false-alarm rates of advice and redaction on labelled sets, and their speed
	@tools/step 'build (bench)' $(LOGS)/build-bench.log cmake --build build -j $(JOBS) --target bench_safety
	@build/bin/bench_safety tests/safety/commands/*.jsonl
	@bench/redaction build/bin/pinfold

lint: deps-lint            ## include rules, formatting, clang-tidy
	@tools/lint

docs:                      ## the documents as a site: build/site/index.html; every link is checked
	@tools/install-deps docs
	@tools/step 'documents' $(LOGS)/docs.log tools/build-site

format:                    ## lets clang-format rewrite every C++ file
	@tools/install-deps lint
	@tools/cpp-files | xargs clang-format -i

clean:                     ## removes everything that was built
	@rm -rf build build-asan build-dev build-tsan build-fuzz

help:                      ## this list
	@awk -F ' *## ' '/^[a-z-]+:.*##/ { split($$1, t, ":"); printf "  make %-12s %s\n", t[1], $$2 }' Makefile
