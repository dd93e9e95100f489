# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0

.POSIX:
.SUFFIXES:
.DEFAULT_GOAL := help
# One thing at a time: every target may use the same build folder and both cores.
.NOTPARALLEL:
.PHONY: help demo test test-days check system-test bench function-order fuzz lab arm64 release console console-picture watch-picture words deb deb-test signals \
	release-files reproducible apt-repository install format clean

PROGRAMS = obd-agent obd-remote obd-simulator
# Debian's name of the architecture to build for; empty: this machine's. Where its programs are built, and install finds them.
ARCH =
BUILD = .build-release
PREFIX = /usr/local
UNITDIR = $(PREFIX)/lib/systemd/system
# The folder of the samples, below the documentation.
SAMPLES = .
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DURATION =
VEHICLE =
NAME =
COUNTS =
RUNS = 5
SECONDS = 600
FUZZERS =
SCENARIOS = long
# The lab's Debian: trixie, which is 13 and the default, or bookworm, which is 12. Of the apt repository: its suite, stable.
SUITE =
BOOTS = 30
SEED =
FROM =
ARCHITECTURES = amd64 arm64
# The tag of a release.
TAG =
# The fingerprint of a key of GnuPG.
SIGNING_KEY =
DIR =
URL =
KEEP = 3
VALID_DAYS = 30
# Every address is resolved at the start, and no library is looked for beside the program. Each function has a section of its
# own, so that equal functions are linked once and unused ones not at all; scripts/release.ld leaves out more. Those that run
# first are put side by side (scripts/make-function-order), so that less of the program is mapped. Debug information
# and the hashes for incremental compilation depend on the folder of the build; without them its path does not matter, and the
# same sources make the same programs.
RELEASE = --configuration release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=all \
	-Xlinker -z -Xlinker now -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -O2 \
	-Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker scripts/release.ld \
	-Xlinker --symbol-ordering-file=scripts/function-order -Xlinker --no-warn-symbol-ordering \
	-debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

help: ## List the targets
	@sed -n 's/^## \(.*\)/\n\1/p; s/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

## Try it
demo: ## Run the agent with a simulated vehicle, a broker, dashboard and console; DURATION=30 ends it, VEHICLE=electric charges
	@VEHICLE=$(VEHICLE) scripts/demo $(DURATION)

## Test it
test: ## Install what is missing, check the style, build, run the tests but for test-days
	scripts/install test
	scripts/check
	scripts/test

test-days: ## Run the tests that let the whole agent live through days in virtual time
	scripts/install test
	scripts/test days

check: ## Run the slower checks (30 min): the release programs, the tests under the thread and address sanitizers
	scripts/install test
	$(MAKE) release
	scripts/check release $(PROGRAMS)
	scripts/test sanitizers

system-test: ## Run a trial against the release programs: NAME=attack, chaos, contract ...; without NAME, list them
	@scripts/system-test $(NAME)

bench: ## Compare the agent's cost with other programs (30 min; RUNS=1 is quicker); COUNTS=only measures decoding only
	cd Benchmarks && swift build --configuration release && .build/release/Benchmarks
	test -n "$(COUNTS)" || scripts/install test
	test -n "$(COUNTS)" || $(MAKE) release
	test -n "$(COUNTS)" || $(CC) -O2 -Wall -Wextra -o .build-release/bare Benchmarks/Peers/bare.c -lmosquitto
	test -n "$(COUNTS)" || Benchmarks/Peers/peers.py .build-release/obd-agent .build-release/bare \
	    --python $${OBD_AGENT_VENV:-.build/venv}/bin/python3 --runs $(RUNS)
	test -n "$(COUNTS)" || Benchmarks/Peers/starts.py .build-release/obd-agent --runs $$((4 * $(RUNS)))

function-order: ## Find out again which functions run first, after "make release": scripts/function-order (2 min)
	scripts/make-function-order

fuzz: ## Feed random bytes to every decoder, SECONDS=600 each; FUZZERS="dialogue frames" chooses
	scripts/install build
	scripts/fuzz $(SECONDS) $(FUZZERS)

lab: ## Run the agent in a virtual machine with Bluetooth LE; SCENARIOS=short (1 min), medium, long, names, "drop mute", power; ARCH=arm64, SUITE=bookworm
	scripts/install lab
	$(MAKE) deb
	BOOTS=$(BOOTS) SEED=$(SEED) Trials/Lab/run --arch $(or $(ARCH),amd64) --suite $(or $(SUITE),trixie) $(SCENARIOS)

arm64: ## Build for a Raspberry Pi's processor as "make deb ARCH=arm64" does, and run that under emulation
	$(MAKE) release ARCH=arm64
	Trials/ARM64/run

## Ship it
release: ## Build the three programs to install: .build-release; with ARCH=arm64, on x86-64: .build-arm64
	scripts/make-release "$(ARCH)" "$(PROGRAMS)" $(RELEASE)

console: ## Build the console for the browser: .build-console
	scripts/make-console

console-picture: ## Make docs/images/console.png from the console itself
	TEST=ConsoleTests.test_pictures OBD_AGENT_PICTURE=docs/images/console.png scripts/system-test console

watch-picture: ## Make docs/images/watch*.svg from "obd-agent watch" beside a simulated vehicle that drives (2 min)
	scripts/install build mosquitto=mosquitto
	for name in $(PROGRAMS); do swift build --product $$name; done
	scripts/make-watch-picture "$$(swift build --show-bin-path)" docs/images

words: ## Make docs/contract/words.en.json from the program's own words, and the numbers of words.de.json
	WORDS_WRITE=1 scripts/test WordsDocumentTests

deb: ## Build the packages for Debian 12 and newer: .build-deb; ARCH=arm64 builds a Raspberry Pi's on x86-64
	scripts/install packages dh=debhelper lintian=lintian
	$(MAKE) release ARCH=$(ARCH)
	scripts/make-console
	ARCH=$(ARCH) scripts/make-deb

deb-test: ## Install what "make deb" built in Debian 12 and 13, run debian/tests there, and purge it; ARCH=arm64 under emulation
	scripts/install deb-test
	ARCH=$(ARCH) scripts/deb-test

signals: ## Pack signal sets of the OBDb project from FROM=DIR as a Debian package: .build-deb/obd-signals_DATE_all.deb
	@scripts/make-signals "$(FROM)"

release-files: ## Make a release from TAG=v0.1.0 alone, signed by SIGNING_KEY=FINGERPRINT or none: .build-release-files
	scripts/install packages git=git xz=xz-utils gpg=gpg gpg-agent=gpg-agent python3=python3
	@ARCHITECTURES="$(ARCHITECTURES)" SIGNING_KEY="$(SIGNING_KEY)" scripts/make-release-files "$(TAG)"

reproducible: ## Make the files of TAG=, or of the last commit, twice under other conditions, and compare them (45 min)
	scripts/install packages git=git xz=xz-utils python3=python3 diffoscope=diffoscope-minimal
	@ARCHITECTURES="$(ARCHITECTURES)" scripts/reproducible $(TAG)

apt-repository: ## Add .build-deb to the apt repository in DIR=, signed by SIGNING_KEY=; URL=, SUITE=stable, KEEP=3, VALID_DAYS=30
	scripts/install packages apt-ftparchive=apt-utils gpg=gpg gpg-agent=gpg-agent python3=python3
	@scripts/make-apt-repository $(if $(FROM),--packages "$(FROM)",--only "$$(dpkg-parsechangelog --show-field Version)") --key "$(SIGNING_KEY)" --url "$(URL)" --suite "$(or $(SUITE),stable)" \
	    --architectures "$(ARCHITECTURES)" --keep "$(KEEP)" --valid "$$(($(VALID_DAYS) * 86400))" -- "$(DIR)"

install: ## Install what make release and make console built, as root
	for name in $(PROGRAMS); do \
	    install -D --mode=755 $(BUILD)/$$name $(DESTDIR)$(PREFIX)/bin/$$name && \
	    install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man1 docs/$$name.1 && \
	    install -D --mode=644 $(BUILD)/completions/$$name.bash \
	        $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name && \
	    install -D --mode=644 $(BUILD)/completions/$$name.zsh $(DESTDIR)$(ZSHDIR)/_$$name && \
	    install -D --mode=644 $(BUILD)/completions/$$name.fish $(DESTDIR)$(FISHDIR)/$$name.fish || exit 1; \
	done
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man8 docs/obd-agent.service.8 \
	    docs/obd-collect.service.8
	scripts/make-toml-manual etc/obd-agent/agent.toml >$(BUILD)/obd-agent.toml.5
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/man/man5 $(BUILD)/obd-agent.toml.5
	install -D --mode=644 systemd/obd-agent.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/obd-agent.conf
	install -D --mode=644 systemd/obd-collect.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/obd-collect.conf
	install -D --mode=644 systemd/obd-agent.tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/obd-agent.conf
	install -D --mode=644 systemd/obd-agent.rules $(DESTDIR)$(PREFIX)/share/obd-agent/polkit/50-obd-agent.rules
	install -D --mode=644 --target-directory=$(DESTDIR)$(UNITDIR) systemd/obd-agent.service \
	    systemd/obd-collect.service
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/obd-agent/drop-ins systemd/drop-ins/*.conf
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/obd-remote/drop-ins systemd/drop-ins/restart-steps.conf
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES) \
	    etc/obd-agent/agent.toml etc/obd-agent/fleet.toml \
	    etc/examples/vehicle.py etc/examples/abrp.py etc/examples/traccar.py etc/examples/lubelogger.py \
	    etc/examples/node-red.json etc/examples/telegraf.conf etc/examples/evcc.yaml \
	    etc/examples/grafana-influxdb.json etc/examples/grafana-postgresql.json
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/thin-edge \
	    etc/examples/thin-edge/obd-agent.toml etc/examples/thin-edge/obd-agent.js
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/imager \
	    etc/examples/imager/user-data etc/examples/imager/network-config etc/examples/imager/firstrun.sh
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/home-assistant \
	    etc/home-assistant/code-appeared.yaml
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/mosquitto \
	    etc/mosquitto/mosquitto.conf etc/mosquitto/mosquitto-2.1.conf etc/mosquitto/acl etc/mosquitto/console.conf
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-remote/$(SAMPLES) etc/obd-remote/collect.toml
	install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/doc/obd-agent/$(SAMPLES)/nginx etc/nginx/obd-console.conf
	scripts/install-documents $(DESTDIR)$(PREFIX)/share/doc/obd-agent/docs $(SAMPLES)
	if [ -d .build-console ]; then \
	    install -D --mode=644 --target-directory=$(DESTDIR)$(PREFIX)/share/obd-agent/console .build-console/*; \
	fi
	install --directory $(DESTDIR)/etc/obd-agent/agent.toml.d $(DESTDIR)/etc/obd-remote

## Tidy up
format: ## Format the Swift sources
	scripts/check format

clean: ## Delete everything that was built
	rm -rf .build .build-arm64 .build-console .build-console-pictures .build-home-assistant .build-release .build-tsan .build-asan \
	    .build-lab .build-mutate .build-deb .build-release-files .build-reproducible .build-repository
