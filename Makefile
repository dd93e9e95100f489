# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0

.POSIX:
.SUFFIXES:
.DEFAULT_GOAL := help
# One thing at a time: every target may use the same build folder and both cores.
.NOTPARALLEL:
.PHONY: help demo test check contract console console-test chaos chaos-short hostile hostile-short system-test outage fleet fleet-short failover cluster disk-writes soak mutate bench bench-counts properties fuzz fuzz-short lab lab-power lab-short home-assistant arm64 build release install deb format lint clean

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources/Benchmarks \
	Fuzzing/Package.swift Fuzzing/Sources/Fuzzer
STRICT = OBD_AGENT_WARNINGS_AS_ERRORS=1
# The suites that run things at the same time, and those that touch C; a sanitizer makes them slow enough to run one
# test at a time.
CONCURRENT = ^(AdapterLink|Agent|BlueZ|Bluetooth|Commands|EventLoop|JOSE|MQTT|SDBus|Session|Simulator|Store|Uplink)Tests\.
C_CALLERS = ^(AdapterLink|BlueZ|Bluetooth|EventLoop|JOSE|MQTT|SDBus)Tests\.
# Days of arithmetic and hundreds of vehicles in one task each, in which there is nothing for a sanitizer to find; and
# tens of thousands of times what other tests do as well.
ENDLESS = ^(SessionTests\.(AdapterTruth|Custom|Dialect|Driving|Fault|Matrix|Quirk)|AgentTests\.DataBudget)Tests|^JOSETests\.(ForgeryTests/(bits|mutations)|ResourceTests/leaks)
# The suites that wait for other programs: the arithmetic of the rest would take both cores from them.
PATIENT = ^(BlueZ|Integration|MQTT|Remote|SDBus)Tests\.
PREFIX = /usr/local
UNITDIR = $(PREFIX)/lib/systemd/system
# Where samples go, below the documentation.
SAMPLES = .
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
# What runs a program that was built for another machine.
RUN =
SCENARIOS = long
REPLIES = 1000000
FAULTS = 200
COMMANDS = 100000
NAME = attack
ATTACKS =
SEED =
CHAOS =
VEHICLES =
DURATION =
FLEET = Tests/Fleet/fleet.py .build-release/obd-agent
FLEET_SIZE = $(VEHICLES:%=--vehicles %) $(DURATION:%=--seconds %)
SECONDS = 600
BOOTS = 30
RUNS = 5
FUZZERS =
# Leaks of others are known by their callers, which only the slow way of unwinding finds.
LEAKS = ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp:print_suppressions=0
# As the program is shipped: the tests let years of driving pass, which is ten times slower without the optimizer.
OPTIMIZED = --configuration release -Xswiftc -enable-testing
# A run that hangs ends, and says so.
TIMED = timeout --verbose --kill-after=10 1200
# What fails is all that is said; VERBOSITY= tells of each test.
VERBOSITY = --quiet
TESTS = $(TIMED) swift test $(VERBOSITY) --skip-build --disable-xctest
TSAN = $(TESTS) --no-parallel --sanitize=thread --scratch-path .build-tsan
ASAN = $(TESTS) --no-parallel --sanitize=address --scratch-path .build-asan
# Every address is resolved at the start, and no library is looked for beside the program.
RELEASE = --configuration release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now --product obd-agent \
	--scratch-path .build-release

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 13

demo: ## Show the agent at work with a simulated vehicle, until Ctrl-C; DURATION=30 ends it after 30 s
	@scripts/demo $(DURATION)

test: ## Install what is missing, check the style, build, and run every test
	scripts/install-test-tools
	$(MAKE) lint
	$(STRICT) swift build $(OPTIMIZED) --build-tests --explicit-target-dependency-import-check error
	scripts/check-architecture
	$(STRICT) $(TESTS) $(OPTIMIZED) --skip '$(PATIENT)'
	$(STRICT) $(TESTS) $(OPTIMIZED) --filter '$(PATIENT)'

check: ## The slower checks: the release binary, the tests under the thread and the address sanitizer
	scripts/install-test-tools
	$(MAKE) release
	scripts/check-foundation .build-release/release/obd-agent
	swift build --build-tests --sanitize=thread --scratch-path .build-tsan
	$(TSAN) --filter '$(CONCURRENT)' --skip '$(ENDLESS)'
	swift build --build-tests --sanitize=address --scratch-path .build-asan
	$(LEAKS) $(ASAN) --filter '$(C_CALLERS)' --skip '$(ENDLESS)'

contract: ## Hold real agents' messages and the examples for others against docs/contract
	scripts/install-packages node=nodejs file:/usr/lib/python3/dist-packages/paho=python3-paho-mqtt
	scripts/install-test-tools
	$(MAKE) release
	/usr/bin/python3 -B Tests/Contract/contract_test.py .build-release/obd-agent $(TEST)

console: ## Build the console in the browser: .build-console
	scripts/make-console

console-test: ## Use the console in a real browser, with a real broker, agents and simulated vehicles
	scripts/install-console-tools
	scripts/make-console
	node --test Tests/Console/unit/*.test.mjs
	$(MAKE) release
	/usr/bin/python3 -B Tests/Console/console_test.py .build-release/obd-agent .build-console $(TEST)

chaos: ## Break everything around the agent at random, for an hour, and count what is lost; FAULTS=50 SEED=7 choose
	scripts/install-test-tools
	$(MAKE) release
	Tests/Chaos/chaos.py .build-release/obd-agent --faults $(FAULTS) $(SEED:%=--seed %) $(CHAOS)

chaos-short: ## The same in less than three minutes
	$(MAKE) chaos FAULTS=24 CHAOS='--gap 2 5 --longest 6'

hostile: ## Send forged, replayed and mutated commands, one honest in a hundred; COMMANDS=20000 SEED=7 choose them
	scripts/install-test-tools
	$(MAKE) release
	$${OBD_AGENT_VENV:-.build/venv}/bin/python3 -B Tests/Hostile/hostile.py .build-release/obd-agent \
	    --commands $(COMMANDS) $(SEED:%=--seed %)

hostile-short: ## The same in less than three minutes
	$(MAKE) hostile COMMANDS=5000

system-test: ## Run one of the trials from outside: NAME=attack plays all that ever broke agent or commands; ATTACKS="h1 h2" picks some
	scripts/install-test-tools
	$(MAKE) release
	$${OBD_AGENT_VENV:-.build/venv}/bin/python3 -B Tests/Attack/$(NAME).py .build-release/obd-agent \
	    $(SEED:%=--seed %) --attacks '$(ATTACKS)'

outage: ## Send five million samples after an outage, and measure speed, live values' delay and memory
	scripts/install-test-tools
	$(MAKE) release
	Tests/Chaos/outage.py .build-release/obd-agent

fleet: ## A thousand simulated vehicles at one Mosquitto for five minutes: every record counted; VEHICLES=50 DURATION=20
	scripts/install-test-tools
	$(MAKE) release
	$(FLEET) load --every 5 $(FLEET_SIZE)

fleet-short: ## The same with fifty of them for twenty seconds
	$(MAKE) fleet VEHICLES=50 DURATION=20

failover: ## Two hundred vehicles and two Mosquittos; each is killed once, and one hangs: nothing may be missing
	scripts/install-test-tools
	$(MAKE) release
	$(FLEET) failover $(FLEET_SIZE)

cluster: ## The same with two nodes of ejabberd, which is installed where it can be had; Debian starts one of its own then
	-scripts/install-packages ejabberdctl=ejabberd
	scripts/install-test-tools
	$(MAKE) release
	$(FLEET) cluster $(FLEET_SIZE)

disk-writes: ## Count the bytes that reach the disk for a sample, for seven minutes, as root
	scripts/install-test-tools
	$(MAKE) release
	Tests/Chaos/disk_writes.py .build-release/obd-agent

bench: bench-counts ## The same, and what the whole agent costs beside other programs, for ten minutes; RUNS=1 is quicker
	scripts/install-test-tools
	$(MAKE) release
	$(CC) -O2 -Wall -Wextra -o .build-release/bare Benchmarks/Peers/bare.c -lmosquitto
	Benchmarks/Peers/peers.py .build-release/obd-agent .build-release/bare \
	    --python $${OBD_AGENT_VENV:-.build/venv}/bin/python3 --runs $(RUNS)

bench-counts: ## Measure what decoding costs and allocates, and fail where that is more than it may be
	cd Benchmarks && swift build --configuration release && .build/release/Benchmarks

properties: ## Hold a million replies and more against what was really sent; REPLIES=5000000 SEED=7 choose them
	swift build $(RELEASE:obd-agent=property-runner)
	.build-release/release/property-runner $(REPLIES) $(SEED)

soak: ## Two days in one process, in virtual time: nothing may grow
	scripts/install-test-tools
	$(STRICT) swift build $(OPTIMIZED) --build-tests
	OBD_AGENT_SOAK=1 $(STRICT) $(TESTS) $(OPTIMIZED) --filter '^SimulationTests.SoakTests'

mutate: ## Switch the handling of each adapter's quirk off, and see that a test notices; QUIRKS="7 22" picks some
	scripts/install-build-tools
	scripts/mutate $(QUIRKS)

fuzz: ## Feed anything to every decoder, for 600 s each; SECONDS=60 FUZZERS="dialogue frames" choose
	scripts/fuzz $(SECONDS) $(FUZZERS)

fuzz-short: ## What the fuzzers have ever found, and 30 s each of anything
	scripts/fuzz 30

lab: ## Try the agent in a virtual machine with real Bluetooth LE, for half an hour; SCENARIOS="drop mute" picks some
	scripts/install-lab-tools
	$(MAKE) release
	Tests/Lab/run $(SCENARIOS)

lab-power: ## Boot the machine 30 times from one disk, and cut its power at random; BOOTS=5 SEED=7 choose
	scripts/install-lab-tools
	$(MAKE) release
	Tests/Lab/run unconfigured
	Tests/Lab/power-cuts $(BOOTS) $(SEED)

lab-short: ## The same with the scenarios that fit into four minutes
	$(MAKE) lab SCENARIOS=short

home-assistant: ## Give a real Home Assistant nothing but the broker, and see what it makes of the vehicle
	scripts/install-home-assistant
	$(MAKE) release
	for form in device component; do \
	    .build-home-assistant/bin/python -B Tests/HomeAssistant/stock.py .build-release/obd-agent $$form || exit 1; \
	done

arm64: ## Build for a Pi's processor, and run that here under emulation: values, a clear, SIGTERM
	scripts/cross-arm64
	Tests/ARM64/run

build: ## Build for debugging
	scripts/install-build-tools
	swift build

release: ## Build the program to install: .build-release/obd-agent
	scripts/install-build-tools
	swift build $(RELEASE)
	strip -o .build-release/obd-agent .build-release/release/obd-agent
	scripts/check-hardening .build-release/obd-agent
	mkdir -p .build-release/completions
	for shell in bash zsh fish; do \
	    $(RUN) .build-release/obd-agent --generate-completion-script $$shell >.build-release/completions/$$shell || exit 1; \
	    sed -i '1{/^#!/d}' .build-release/completions/$$shell; \
	done
	@stat --format '%n: %s bytes' .build-release/obd-agent

install: ## Install what make release and make console built, as root; the configuration is yours to make
	install -D --mode=755 .build-release/obd-agent $(DESTDIR)$(PREFIX)/bin/obd-agent
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man1 docs/obd-agent.1
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man8 docs/obd-agent.service.8
	scripts/make-toml-manual etc/obd-agent/agent.toml >.build-release/obd-agent.toml.5
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man5 .build-release/obd-agent.toml.5
	install -D --mode=644 .build-release/completions/bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/obd-agent
	install -D --mode=644 .build-release/completions/zsh $(DESTDIR)$(ZSHDIR)/_obd-agent
	install -D --mode=644 .build-release/completions/fish $(DESTDIR)$(FISHDIR)/obd-agent.fish
	install -D --mode=644 systemd/obd-agent.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/obd-agent.conf
	install -D --mode=644 systemd/obd-agent.tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/obd-agent.conf
	install -D --mode=644 systemd/obd-agent.rules $(DESTDIR)$(PREFIX)/share/obd-agent/polkit/50-obd-agent.rules
	install -D --mode=644 --target-directory=$(DESTDIR)$(UNITDIR) systemd/obd-agent.service
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/obd-agent/drop-ins systemd/drop-ins/*.conf
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES) \
	    etc/obd-agent/agent.toml etc/obd-agent/fleet.toml \
	    etc/examples/vehicle.py etc/examples/node-red.json etc/examples/telegraf.conf etc/examples/grafana.json
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/mosquitto \
	    etc/mosquitto/mosquitto.conf etc/mosquitto/acl etc/mosquitto/console.conf
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/nginx etc/nginx/obd-console.conf
	if [ -d .build-console ]; then \
	    install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/obd-agent/console .build-console/*; \
	fi
	install --directory $(DESTDIR)/etc/obd-agent/agent.toml.d

deb: ## Build the Debian package: .build-deb/obd-agent_VERSION_ARCHITECTURE.deb
	scripts/install-packages dh=debhelper lintian=lintian
	$(MAKE) release
	scripts/make-console
	scripts/make-deb

format: ## Format the Swift sources
	swift format --in-place --recursive $(SWIFT_SOURCES)

lint: ## Check formatting, style, the contract, shell scripts, the unit and the manual page
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	scripts/check-style
	scripts/check-contract
	scripts/check-foundation

clean: ## Delete everything that was built
	rm -rf .build .build-arm64 .build-console .build-console-pictures .build-home-assistant .build-release .build-tsan .build-asan .build-lab .build-mutate
