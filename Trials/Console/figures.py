#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Measures the console in a real browser: what is in sight at which size, how soon, and what it costs.

Usage: figures.py PROGRAM PAGE; MINUTES in the environment is the time for which processor and memory are measured, ONLY
one or more of weight, sizes and cost.
Each figure is printed with its limit; at the end those beyond their limits, and the exit status is 1.
"""

import gzip
import itertools
import os
import pathlib
import sys
import time

from browser import Browser
from crowd import crowd, name, Talker
from stage import Stage, until

PROGRAM, PAGE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PICTURES = PAGE.with_name(PAGE.name + "-pictures")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [(390, 844), (820, 1180), (1440, 900), (2560, 1440)]
COUNTS = [1, 55, 2000]
PARAMETERS = [40, 300]
MINUTES = float(os.environ.get("MINUTES", "3"))
RATE = 15
PARTS = ["values", "history", "codes", "trips", "events", "vehicle", "commands"]
QUEUE = ("max_queued_messages 10000",)
# The time of the first value since the click on Connect, in milliseconds.
FIRST = """
const done = arguments[0];
const begun = performance.now();
const look = () => {
    const value = document.querySelector(".tile .reading strong");
    if (value?.textContent && value.checkVisibility()) done(performance.now() - begun);
    else requestAnimationFrame(look);
};
document.querySelector("form.connect button.primary").click();
look();
"""
# The lower edge of the first value, and of what is in sight: tabs may cover the rest.
FOLD = """
const value = document.querySelector(".tile .reading");
const tabs = document.querySelector(".tabs");
const cover = getComputedStyle(tabs).position === "fixed" ? tabs.offsetHeight : 0;
return [value?.getBoundingClientRect().bottom ?? 99999, window.innerHeight - cover];
"""
WIDTH = "return [document.documentElement.scrollWidth, window.innerWidth]"


class Figures:
    def __init__(self):
        self.failures = []

    def take(self, what, value, limit, unit=""):
        """A figure that must not be above its limit."""
        isGood = value <= limit
        line = f"{what:64} {value:10.2f} {unit:4} at most {limit:g}"
        print(line if isGood else f"{line}   BEYOND ITS LIMIT", flush=True)
        if not isGood:
            self.failures.append(line)

    def note(self, what, value, unit=""):
        """A figure without a limit."""
        print(f"{what:64} {value:10.2f} {unit}", flush=True)


def first_value(browser, address):
    """The seconds until the first value of a vehicle."""
    browser.driver.get("about:blank")
    browser.driver.get(address)
    until(lambda: browser.find("form.connect button.primary"), "the form")
    return browser.driver.execute_async_script(FIRST) / 1000


def looks(figures, browser, what):
    """What is in sight, for the present size and scheme."""
    bottom, fold = browser.driver.execute_script(FOLD)
    figures.take(f"{what}: first value above the fold", bottom, fold, "px")
    wide, width = browser.driver.execute_script(WIDTH)
    figures.take(f"{what}: nothing beside the page", wide, width, "px")
    violations(figures, browser, what)


def violations(figures, browser, what):
    found = browser.violations()
    for violation in found:
        print(f"    {violation[:300]}")
    figures.take(f"{what}: violations of axe-core", len(found), 0)


def sizes(figures, stage):
    """Every size, scheme, number of vehicles and of values."""
    for count, parameters in itertools.product(COUNTS, PARAMETERS):
        port, http = stage.broker(f"broker-{count}-{parameters}", more=QUEUE)
        stage.publish_all(port, crowd(count, parameters))
        address = f"http://127.0.0.1:{http}/#/{name(0)}"
        with Browser(address) as browser:
            for size, is_dark in itertools.product(SIZES, [False, True]):
                what = f"{count} vehicles, {parameters} values, {size[0]} px {'dark' if is_dark else 'light'}"
                browser.look(size, is_dark)
                figures.take(f"{what}: first value", first_value(browser, address), 0.6, "s")
                until(lambda: len(browser.find(".tile")) == parameters, "all values")
                looks(figures, browser, what)
                browser.picture(PICTURES / f"size-{count}-{parameters}-{size[0]}-{'dark' if is_dark else 'light'}.png")
                if (count, parameters) == (55, 40):
                    parts(figures, browser, what)
                browser.driver.execute_script("location.hash = '#/'")
                until(lambda: browser.find(".vehicles li") and not browser.text(".fleet .notice"), "the list", 60)
                violations(figures, browser, f"{what}, the list")
            complaints = browser.complaints()
            for words in complaints:
                print(f"    {words[:300]}")
            figures.take(f"{count} vehicles, {parameters} values: complaints of the browser", len(complaints), 0)


def parts(figures, browser, what):
    """Each part of the vehicle."""
    for part in PARTS:
        browser.driver.execute_script("location.hash = arguments[0]", f"#/{name(0)}/{part}")
        until(lambda: browser.driver.execute_script("return document.querySelector(`[data-part=${arguments[0]}]`)?.checkVisibility() === true", part), part)
        violations(figures, browser, f"{what}, {part}")


def cost(figures, stage):
    """The processor and the memory while values come."""
    for parameters in PARAMETERS:
        port, http = stage.broker(f"cost-{parameters}", more=QUEUE)
        stage.publish_all(port, crowd(55, parameters))
        talker = Talker(port, 0, parameters, RATE)
        with Browser(f"http://127.0.0.1:{http}/#/{name(0)}", size=(1440, 900)) as browser:
            first_value(browser, f"http://127.0.0.1:{http}/#/{name(0)}")
            until(lambda: len(browser.find(".tile")) == parameters, "all values")
            # Plots and lists have to be there before their growth counts.
            time.sleep(30)
            what = f"{parameters} values, {RATE} messages/s"
            (heap, nodes), before, sent, begun = browser.memory(), browser.processor_time(), talker.sent, time.monotonic()
            time.sleep(MINUTES * 60)
            spent, seconds = browser.processor_time(), time.monotonic() - begun
            figures.note(f"{what}: messages a second", (talker.sent - sent) / seconds)
            for kind in ("gpu-process", "browser", "utility"):
                figures.note(f"{what}: processor of the browser's {kind}", (spent[kind] - before[kind]) / seconds * 100, "%")
            figures.take(f"{what}: processor of the page", (spent["renderer"] - before["renderer"]) / seconds * 100, 5, "%")
            later_heap, later_nodes = browser.memory()
            # A history of one point a second may grow; what the page forgets to drop would be more.
            figures.take(f"{what}: growth of memory in {MINUTES:g} min", (later_heap - heap) / 1e6, 1.5 + 0.3 * MINUTES, "MB")
            figures.take(f"{what}: growth of nodes in {MINUTES:g} min", later_nodes - nodes, 500)
        talker.end()


def weight(figures, stage):
    """The bytes of the page on the way, as the web server of etc/nginx sends them, and as the files would be at best."""
    at_best = sum(len(gzip.compress(file.read_bytes(), 9)) for file in PAGE.iterdir()
                  if file.suffix in (".html", ".css", ".js") or file.name in ("texts.en.json", "words.en.json", "manifest.json"))
    figures.note("the page's files, compressed", at_best / 1000, "kB")
    port = stage.sample(ROOT / "etc/mosquitto", "specialist+anna", "secret")
    secure = stage.web_server(ROOT / "etc/nginx/obd-console.conf", port)
    with Browser("about:blank") as browser:
        browser.received()
        browser.driver.get(f"https://localhost:{secure}/")
        until(lambda: browser.find("form.connect"), "the form")
        time.sleep(2)
        figures.take("the page on the way", browser.received() / 1000, 120, "kB")


def main():
    PICTURES.mkdir(exist_ok=True)
    figures = Figures()
    with Stage(PROGRAM, PAGE) as stage:
        for part in os.environ.get("ONLY", "weight sizes cost").split():
            {"weight": weight, "sizes": sizes, "cost": cost}[part](figures, stage)
    print(f"\n{len(figures.failures)} figures are beyond their limits" + "".join(f"\n  {line}" for line in figures.failures))
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
