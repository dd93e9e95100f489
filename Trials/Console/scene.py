# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What all tests of the console share: one broker, two vehicles, and what a person does first."""

import datetime
import json
import pathlib
import re
import sys
import unittest
import urllib.parse

from browser import Browser
from stage import Stage, until

PROGRAM, PAGE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PICTURES = PAGE.with_name(PAGE.name + "-pictures")
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Records would fill the gap of a plot before a test sees it.
UNRECORDED = ["batch_seconds = 3600"]
MARKUP = '<img src="/x" onerror="document.title=1"><b>'


class Scene(unittest.TestCase):
    """One broker; "driving" drives, "standing" stands with its engine off and obeys who signs."""

    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(exist_ok=True)
        cls.stage = Stage(PROGRAM, PAGE)
        cls.addClassCleanup(cls.stage.__exit__)
        cls.private, trusted = cls.stage.key()
        cls.port, cls.http = cls.stage.broker()
        cls.stage.vehicle("driving", cls.port, "--seed", "1", "--trip", "600", "--codes", "P0301,P0420", "--pending", "P0171", "--permanent", "P0420")
        cls.stage.vehicle("standing", cls.port, "--seed", "2", "--trip", "1", "--pause", "3600", "--codes", "P0301", role="none", keys=trusted)
        cls.host = f"127.0.0.1:{cls.http}"

    def open(self, **options):
        browser = Browser(f"http://{self.host}/", **options)
        self.addCleanup(browser.driver.quit)
        return browser

    def connected(self, vehicle="driving", **options):
        """A browser that sees live values of a vehicle."""
        browser = self.open(**options)
        browser.use("Connect")
        until(lambda: self.choose(browser, vehicle), vehicle)
        browser.await_text(".tiles", "rpm")
        return browser

    @staticmethod
    def choose(browser, vehicle, part=""):
        """Goes to the address of a vehicle, or of a part of it; whether the page shows it."""
        address = f"#/{urllib.parse.quote(vehicle, safe='')}" + (f"/{part}" if part else "")
        browser.driver.execute_script("if (location.hash !== arguments[0]) location.hash = arguments[0]", address)
        return vehicle in browser.text(".who h2")

    @staticmethod
    def ages(browser):
        """The kinds of age that the tiles have."""
        return set(browser.driver.execute_script("return [...document.querySelectorAll('.tile')].map((one) => one.dataset.age)"))

    @staticmethod
    def trace(browser):
        """Where the lines of the first plot begin and end, in pixels."""
        path = browser.driver.execute_script("return document.querySelector('.trace').getAttribute('d') ?? ''")
        return [[float(part.split()[0]), float(re.split("[HV]", part)[-1])] for part in path.split("M")[1:]]

    def gaps(self, browser):
        """The lengths of the gaps between the lines of the first plot, in seconds."""
        # Two minutes are as wide as the plot.
        width = browser.driver.execute_script("return document.querySelector('.plot').clientWidth - 62")
        lines = self.trace(browser)
        return [(after[0] - before[1]) / width * 120 for before, after in zip(lines, lines[1:])]

    def commands(self):
        """The commands that any vehicle gets from now on."""
        program, log = self.stage.start("commands", "stdbuf", "-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1", "-p", str(self.port), "-t", "obd/+/commands", "-F", "=%p")
        self.addCleanup(program.kill)
        until(lambda: "Subscribed" in log.read_text(), "the subscription")
        return lambda: [json.loads(line[1:]) for line in log.read_text().splitlines() if line.startswith("={")]

    def played(self, *names):
        """Vehicles whose agents the test plays: what says something about one, and the report about its codes."""
        def say(name, path, payload, **options):
            self.stage.publish(self.port, f"obd/{name}/{path}", payload, **options)
        report = {"v": 1, "time": "2026-11-22T10:00:00.000Z", "known": True, "mil": True, "codes": [{"code": "P0301", "ecu": "7E8", "states": ["stored"]}]}
        for name in names:
            say(name, "availability", "online")
            say(name, "status", {"link": "connected", "parked": False, "ignition": "on"})
            say(name, "codes", report)
            for path in ["availability", "status", "codes"]:
                self.addCleanup(say, name, path, "")
        return say, report

    def crowd(self, port, count, forerunners=0):
        """Retained messages of vehicles, each with codes of its own, and of agents before they knew their vehicle."""
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        messages = []
        for index in range(count):
            codes = [{"code": f"P{code:04}", "ecu": "7E8", "states": ["stored"]} for code in range(index % 4)]
            messages += [(f"obd/van-{index:04}/{path}", payload) for path, payload in {
                "availability": "online", "status": {"time": now, "agent": f"{index:012x}", "link": "connected", "parked": False, "ignition": "running"},
                "vehicle": {"vin": f"V{index:016}", "selected": {"engine_speed": 1}, "ecus": []}, "codes": {"time": now, "known": True, "codes": codes},
                "parameters/engine_speed": {"value": 800 + index, "unit": "rpm", "ecu": "7E8", "quality": "good", "time": now},
            }.items()]
        for index in range(forerunners):
            name = f"agent-{index:012x}"
            messages += [(f"obd/{name}/availability", "offline"), (f"obd/{name}/status", {"time": now, "agent": name[6:]})]
        self.stage.publish_all(port, messages)

    def rows(self, browser):
        """The names of all vehicles in the list with their codes: the list is scrolled through, because it draws only what is in sight."""
        return dict(browser.driver.execute_async_script("""
            const done = arguments[0];
            const list = document.querySelector(".rows");
            const found = new Map();
            const look = (top) => {
                list.scrollTop = top;
                requestAnimationFrame(() => requestAnimationFrame(() => {
                    for (const one of list.querySelectorAll("a")) found.set(one.querySelector("strong").textContent, one.querySelector("small span").textContent);
                    if (top + list.clientHeight < list.scrollHeight) look(top + list.clientHeight);
                    else done([...found]);
                }));
            };
            look(0);
        """))
