#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A specialist's case in the console, from end to end: in a real browser, with a real broker, agent and simulated vehicle.

Usage: case_test.py PROGRAM PAGE [TEST ...]; pictures and the printed report go to PAGE-pictures.
"""

import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from selenium.webdriver.common.keys import Keys

from browser import Browser
from crowd import crowd, name, present
from stage import Stage, until

PROGRAM, PAGE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PICTURES = PAGE.with_name(PAGE.name + "-pictures")
COUNT = 2000
# One of the many: the only one whose lamp will be on.
VAN = 1234
# Words that no sentence for people has.
RAW = r"\b(undefined|null|NaN|object Object)\b"
# As many messages as two thousand vehicles retain at once.
QUEUE = ("max_queued_messages 10000",)
HOOK = """
window.shown = [];
window.Notification = class {
    static permission = "default";
    static async requestPermission() { return (window.Notification.permission = "granted"); }
    constructor(title, { body, tag }) { window.shown.push([title, body, tag]); }
    close() {}
};
"""


class CaseTests(unittest.TestCase):
    """2,000 vehicles at one broker. The specialist's is a simulated one with a real agent; the others only publish."""

    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(exist_ok=True)
        cls.stage = Stage(PROGRAM, PAGE)
        cls.addClassCleanup(cls.stage.__exit__)
        cls.private, cls.trusted = cls.stage.key()
        cls.port, cls.http = cls.stage.broker(more=QUEUE)
        cls.stage.publish_all(cls.port, crowd(COUNT, 0, without=[VAN]))

    def open(self, address="", **options):
        browser = Browser(f"http://127.0.0.1:{self.http}/{address}", **options)
        self.addCleanup(browser.driver.quit)
        browser.click("Connect")
        return browser

    def van(self):
        """The van: it drives without a code, then its memory has one, then it drives on for four minutes and stands."""
        _, _, car = self.stage.vehicle(
            name(VAN), self.port, "--seed", "7", "--trip", "900", role="none", keys=self.trusted, overlay="[capture.code]\nafter = 3\n")
        address = next(line.split()[1] for line in (self.stage.directory / f"{name(VAN)}-vehicle.log").read_text().splitlines() if line.startswith("Adapter"))
        self.stage.hear(self.port, f"obd/{name(VAN)}/codes", lambda: None)
        # Readings for the capture, of before the code.
        time.sleep(20)

        def restart():
            car.send_signal(signal.SIGTERM)
            car.wait(10)
            words = ["--tcp", address.removeprefix("tcp:"), "--seed", "7", "--trip", "240", "--pause", "3600", "--codes", "P0301"]

            def again():
                program, log = self.stage.start("van-again", self.stage.simulator, *words)
                until(lambda: program.poll() is not None or "Adapter" in log.read_text(), "the vehicle")
                return program.poll() is None
            # The port may be taken for a moment.
            until(again, "the same vehicle with a code")
        event = self.stage.hear(self.port, f"obd/{name(VAN)}/events", restart, lambda body: body["event"] == "capture", 120)
        self.assertEqual(event["capture"]["code"], "P0301")

    def test_specialist_finds_reads_clears_writes_and_prints(self):
        self.van()
        browser = self.open("#/")

        # Finds the van whose lamp is on.
        browser.await_text(".fleet h2", "2,000 vehicles", 60)
        until(lambda: not browser.text(".fleet .notice"), "the states of all", 60)
        browser.click("Lamp on 1")
        browser.await_text(".fleet h2", "1 of 2,000 vehicles")
        self.assertEqual(len(browser.find(".vehicles li")), 1)
        self.assertEqual(browser.violations(), [])
        browser.picture(PICTURES / "case-found.png")
        browser.find(f".vehicles li[data-name={name(VAN)}] a")[0].click()
        browser.await_text(".who h2", name(VAN))
        browser.await_text(".who .lamp", "Warning lamp on")

        # With a key, because the agent believes nobody without.
        browser.find("input[type=file]")[0].send_keys(str(self.private))
        browser.await_text(".key", "signed by anna@garage.example")

        # Sees what happened before the code came: the page was not open then.
        self.assertIn("No event has arrived", browser.text("[data-part=events]"))
        browser.click("Fetch earlier events", "[data-part=events]")
        browser.await_text(".events", "P0301 appeared in 7E8", 60)
        browser.await_text(".events", "Capture")
        browser.await_text(".capture", "P0301 appeared in 7E8")
        self.assertTrue(browser.find(".capture .trace"), "the capture has no plot")
        before = browser.driver.execute_script("return [...document.querySelectorAll('.capture .trace')].some((one) => (one.getAttribute('d') ?? '').length > 40)")
        self.assertTrue(before, "the capture has no readings")
        browser.picture(PICTURES / "case-before.png")

        # Reads codes, tests and identity.
        for button, done in [("Read codes", "Read codes: done"), ("Read readiness", "Read readiness: done")]:
            browser.click(button)
            browser.await_text(".live", done, 60)
        text = browser.text(".codes")
        for words in ["P0301", "Misfire in cylinder 1", "Powertrain: ", "stored", "first seen"]:
            self.assertIn(words, text)
        browser.click("Freeze frame of P0301, 7E8")
        browser.await_text(".codes table", "Engine speed")
        for place, words in {".tests": "failed", ".performance": "Catalyst, bank 1", ".ecus": "7E8", ".identity": "ISO 15765-4"}.items():
            browser.await_text(place, words)
        self.assertNotRegex(browser.text("main"), RAW)

        # Clears: the page refuses while the engine runs, and the agent obeys once it stands.
        browser.await_text(".who", "Vehicle: in use")
        browser.click("Clear codes …")
        browser.await_text("dialog", "The agent would refuse this now: the ")
        confirm = next(one for one in browser.find("dialog button") if one.text == "Clear P0301")
        self.assertFalse(confirm.is_enabled())
        self.assertEqual(browser.violations(), [])
        browser.picture(PICTURES / "case-refused.png")
        until(confirm.is_enabled, "a vehicle that stands", 300)
        confirm.click()
        browser.await_text(".live", "Clear codes: done", 60)
        browser.await_text(".log", "Gone: P0301")
        browser.await_text(".codes", "no trouble codes")
        browser.await_text(".who .lamp", "Warning lamp off", 60)

        # Writes the finding.
        browser.click("Write a finding")
        browser.click("Your finding")
        browser.press("Coil of cylinder 1: replaced.")
        browser.click("Codes of the finding")
        browser.press("p0301", Keys.TAB, "n")
        browser.click("Record the finding")
        browser.await_text(".live", "Record a finding: done")
        browser.await_text(".finding", "by anna@garage.example")
        browser.await_text(".events", "A finding was recorded")

        # Prints.
        self.printed(browser, ["P0301", "Coil of cylinder 1: replaced.", "anna@garage.example", "The vehicle has no trouble codes.", "Readiness", "Test results"])
        self.assertEqual(browser.complaints(), [])

    def printed(self, browser, wanted):
        """The report on paper: everything that is wanted, and nothing without its age."""
        browser.driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        ages = browser.driver.execute_script("""
            return [...document.querySelectorAll(".report section")].map((one) => [one.querySelector("h2").textContent,
                [...one.querySelectorAll(".as-of")].map((age) => age.textContent), [...one.querySelectorAll("tr[data-age]")].map((row) => row.lastElementChild.textContent)]);
        """)
        browser.driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(browser.find(".report"), [])
        for title, as_of, rows in ages:
            if title in ("Finding", "Exceeded limits"):
                continue
            stated = as_of + rows
            self.assertTrue(stated, f"{title} has no age")
            for words in stated:
                self.assertRegex(words, r"\d|time of printing|just now|unknown", title)
        file = browser.paper(PICTURES / "report.pdf")
        text = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, text=True).stdout
        for words in [f"{name(VAN)}: report for the workshop", "VIN", "as of ", *wanted]:
            self.assertIn(words, text)
        self.assertNotRegex(text, RAW)
        # Nothing of the page itself is on the paper.
        for words in ["Read codes", "Settings", "Disconnect", "Signing key"]:
            self.assertNotIn(words, text)

    def test_events_of_all_vehicles_notify_only_if_the_user_wants_that(self):
        browser = self.open(f"#/{name(0)}/events")
        browser.await_text(".who h2", name(0))
        browser.driver.execute_script(HOOK)
        shown = lambda: browser.driver.execute_script("return window.shown")
        numbers = iter(range(1, 10_000))

        def happen(index, event, **more):
            body = {"v": 1, "agent": f"{index:012x}", "epoch": 1, "seq": next(numbers), "time": present(), "clock": "synchronised", "event": event, **more}
            self.stage.publish(self.port, f"obd/{name(index)}/events", body, is_retained=False)
        code = {"code": "P0420", "ecu": "7E8", "description": "Catalyst efficiency below threshold (bank 1)", "states": ["stored"]}
        # Until the page has subscribed to the vehicle, events pass it by.
        until(lambda: happen(0, "connected") or "Connected to the vehicle" in browser.text(".events"), "an event")
        happen(0, "code_appeared", **code)
        browser.await_text(".events", "P0420 appeared in 7E8")
        happen(7, "code_appeared", **code)
        self.assertEqual(shown(), [])
        browser.click("Notify me about the events of all vehicles")
        browser.await_text(".notify", "Notifications come while this page is open")
        self.assertEqual(browser.violations(), [])
        happen(7, "mil_on")
        until(lambda: len(shown()) == 2, "the notification after the one that shows that they come")
        self.assertEqual(shown()[1][::2], [f"{name(7)}: The warning lamp came on", f"{name(7)}/mil_on"])
        # Kinds that nobody chose, and a flood.
        happen(7, "connected")
        for _ in range(12):
            happen(8, "code_appeared", **code)
        until(lambda: any("more event" in one[0] for one in shown()), "the count of the others")
        events = [one for one in shown() if "/" in one[2]]
        self.assertEqual(len(events), 5)
        self.assertNotIn("connected", str(shown()))
        # A switch ends it.
        browser.click("Notify me about the events of all vehicles")
        count = len(shown())
        happen(9, "code_appeared", **code)
        happen(0, "code_gone", **code)
        browser.await_text(".events", "P0420 is gone from 7E8")
        self.assertEqual(len(shown()), count)

    def test_in_german(self):
        browser = self.open(f"#/{name(0)}")
        browser.driver.execute_script("localStorage.setItem('obd-agent-console', JSON.stringify({ language: 'de' })); location.reload();")
        browser.click("Verbinden")
        browser.await_text(".who h2", name(0))
        for place, words in {".codes": "Fehlercodes", ".readiness": "Prüfbereitschaft", ".tests": "Testergebnisse", ".ecus": "Steuergeräte"}.items():
            browser.await_text(place, words)
        keys = re.findall(r"\b(?:values|codes|readiness|tests|performance|identity|ecus|events|report|commands|finding|fleet|parts|page)\.[a-z][A-Za-z.]+", browser.text("body"))
        self.assertEqual(keys, [], "keys in place of texts")
        self.assertEqual(browser.violations(), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
