# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0

.POSIX:
.SUFFIXES:
.DEFAULT_GOAL := help
# One thing at a time: every target may use the same build folder and both cores.
.NOTPARALLEL:
.PHONY: help demo test check lab lab-short build release install format lint clean

SWIFT_SOURCES = Package.swift Sources Tests
STRICT = OBD_AGENT_WARNINGS_AS_ERRORS=1
# The suites that run things at the same time, and those that touch C; a sanitizer makes them slow enough to run one
# test at a time.
CONCURRENT = ^(AdapterLink|Agent|BlueZ|Bluetooth|Commands|EventLoop|MQTT|SDBus|Session|Simulator|Store|Uplink)Tests\.
C_CALLERS = ^(AdapterLink|BlueZ|Bluetooth|EventLoop|MQTT|SDBus)Tests\.
# Days of arithmetic in one task, in which there is nothing for a sanitizer to find.
ENDLESS = ^SessionTests\.(Driving|Fault)Tests
# The suites that wait for other programs: the arithmetic of the rest would take both cores from them.
PATIENT = ^(BlueZ|Integration|MQTT|SDBus)Tests\.
PREFIX = /usr/local
SCENARIOS = long
# Leaks of others are known by their callers, which only the slow way of unwinding finds.
LEAKS = ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp:print_suppressions=0
TSAN = swift test --disable-xctest --no-parallel --sanitize=thread --scratch-path .build-tsan
ASAN = swift test --disable-xctest --no-parallel --sanitize=address --scratch-path .build-asan
RELEASE = --configuration release --static-swift-stdlib --product obd-agent --scratch-path .build-release

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 10

demo: ## Show the agent at work with a simulated vehicle, until Ctrl-C; DURATION=20 ends it after 20 s
	@scripts/demo $(DURATION)

test: ## Install what is missing, check the style, build, and run every test
	scripts/install-test-tools
	$(MAKE) lint
	$(STRICT) swift build --build-tests --explicit-target-dependency-import-check error
	scripts/check-architecture
	$(STRICT) swift test --skip-build --disable-xctest --skip '$(PATIENT)'
	$(STRICT) swift test --skip-build --disable-xctest --filter '$(PATIENT)'

check: ## The slower checks: the release binary, the tests under the thread and the address sanitizer
	scripts/install-test-tools
	$(MAKE) release
	scripts/check-foundation .build-release/release/obd-agent
	$(TSAN) --filter '$(CONCURRENT)' --skip '$(ENDLESS)'
	$(LEAKS) $(ASAN) --filter '$(C_CALLERS)'
	@# TOMLKit 0.6.0 never frees what it has read; the agent reads one file, at its start.
	ASAN_OPTIONS=detect_leaks=0 $(ASAN) --skip-build --filter '^ConfigurationTests\.'

lab: ## Try the agent in a virtual machine with real Bluetooth LE, for half an hour; SCENARIOS="drop mute" picks some
	scripts/install-lab-tools
	$(MAKE) release
	Tests/Lab/run $(SCENARIOS)

lab-short: ## The same with the scenarios that fit into four minutes
	$(MAKE) lab SCENARIOS=short

build: ## Build for debugging
	scripts/install-build-tools
	swift build

release: ## Build the program to install: .build-release/obd-agent
	scripts/install-build-tools
	swift build $(RELEASE)
	strip -o .build-release/obd-agent .build-release/release/obd-agent
	@stat --format '%n: %s bytes' .build-release/obd-agent

install: ## Install what make release built, as root; the configuration is kept if there is one
	install -D --mode=755 .build-release/obd-agent $(DESTDIR)$(PREFIX)/bin/obd-agent
	install -D --mode=644 docs/obd-agent.1 $(DESTDIR)$(PREFIX)/share/man/man1/obd-agent.1
	install -D --mode=644 systemd/obd-agent.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/obd-agent.conf
	install -D --mode=644 systemd/obd-agent.service $(DESTDIR)$(PREFIX)/lib/systemd/system/obd-agent.service
	test -e $(DESTDIR)/etc/obd-agent/agent.toml || \
	    install -D --mode=644 etc/obd-agent/agent.toml $(DESTDIR)/etc/obd-agent/agent.toml

format: ## Format the Swift sources
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## Check formatting, style, shell scripts, the unit and the manual page
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	scripts/check-style
	scripts/check-foundation

clean: ## Delete everything that was built
	rm -rf .build .build-release .build-tsan .build-asan .build-lab
