#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Uses the console as people do, in a real browser, with a real broker, real agents and simulated vehicles.

Usage: console_test.py PROGRAM PAGE [TEST ...]; pictures go to PAGE-pictures, and with OBD_AGENT_PICTURE to that file too.
"""

import contextlib
import datetime
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import sys
import time
import unittest
import urllib.parse

from selenium.webdriver.common.keys import Keys

from browser import Browser, DESKTOP, PHONE
from stage import free_port, Stage, until

PROGRAM, PAGE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PICTURES = PAGE.with_name(PAGE.name + "-pictures")
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 120_000
MARKUP = '<img src="/x" onerror="document.title=1"><b>'


def unverified():
    """The certificates of tests are signed by nobody."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def handshake(port, origin):
    """The status of a WebSocket's opening, for a page of that origin."""
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=unverified())
    headers = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "mqtt", **({"Origin": origin} if origin else {}),
    }
    connection.request("GET", "/", headers=headers)
    with contextlib.closing(connection):
        return connection.getresponse().status


class ConsoleTests(unittest.TestCase):
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

    def test_one_click_to_live_values(self):
        browser = self.open()
        browser.await_text("form", self.host)
        browser.find("form button.primary")[0].click()
        browser.await_text(".tiles", "rpm")
        before = browser.text(".tiles")
        until(lambda: browser.text(".tiles") != before, "another value", 15)
        self.assertEqual(browser.hosts(), {self.host})
        self.assertEqual(browser.complaints(), [])
        self.assertEqual(browser.nameless(), [])
        self.assertEqual(browser.violations(), [])
        self.assertNotRegex(browser.text("main"), r"\b(false|undefined|null|NaN|object)\b")

    def test_size(self):
        """Compressed, as the web server of etc/ sends it: all files that a user of one language gets."""
        for language, other in [("en", "de"), ("de", "en")]:
            files = [file for file in PAGE.glob("*.gz") if not file.name.endswith(f".{other}.json.gz")]
            self.assertEqual(len([file for file in files if f".{language}.json" in file.name]), 2)
            self.assertLess(sum(file.stat().st_size for file in files), LIMIT)

    def test_no_request_leaves_the_host(self):
        browser = self.connected()
        for way in ["fetch('http://127.0.0.1:9/x')", "Promise.resolve(new WebSocket('ws://127.0.0.1:9/')).then((socket) => new Promise((_, no) => { socket.onerror = no; }))"]:
            script = f"const done = arguments[0]; try {{ {way}.then(() => done('sent'), () => done('kept')); }} catch {{ done('kept'); }}"
            self.assertEqual(browser.driver.execute_async_script(script), "kept")
        words = " ".join(browser.complaints())
        self.assertEqual(words.count("Connecting to '"), 2, words)

    def test_reading_by_keyboard(self):
        browser = self.connected()
        browser.use("Read codes")
        browser.await_text(".live", "Read codes: done")
        text = browser.text(".codes")
        for words in ["P0301", "Misfire in cylinder 1", "Powertrain: ignition or misfire", "permanent", "pending"]:
            self.assertIn(words, text)
        browser.use("Freeze frame of P0301, 7E8")
        browser.await_text(".codes table", "Engine speed")
        self.assertNotRegex(browser.text(".codes"), r"\b(false|undefined|null|NaN|object)\b")
        # What is open stays open when the codes are drawn anew.
        browser.use("Read codes")
        browser.await_text(".codes table", "Engine speed")
        browser.use("Read readiness")
        browser.await_text(".live", "Read readiness: done")
        browser.await_text(".readiness", "Misfire")
        browser.use("List allowed commands")
        browser.await_text(".log", "Role of unsigned commands: specialist")
        self.assertEqual(browser.complaints(), [])

    def test_plots_and_files_by_keyboard(self):
        downloads = self.stage.directory / "downloads"
        downloads.mkdir()
        browser = self.connected(downloads=downloads)
        browser.use("Plot Engine load", Keys.SPACE)
        browser.await_text(".plots h4", "Engine load")
        browser.use("Remove the plot of Vehicle speed")
        until(lambda: "Vehicle speed" not in browser.text(".plots h4"), "the plot's end")
        browser.go_to("Time shown")
        browser.press("1")
        self.assertEqual(browser.driver.execute_script("return document.activeElement.selectedOptions[0].textContent"), "10 minutes")
        browser.use("As a table")
        browser.await_text(".plots table", "Highest")
        row = until(lambda: browser.text(".plots tbody").split("\n")[0].split()[-3:], "a row")
        self.assertEqual(len([float(word.replace(",", "")) for word in row]), 3)
        begin = {
            "Save values as CSV": "vehicle,time,parameter,ecu,value,unit,label,quality\r\n", "Save history as CSV": "vehicle,time,parameter,ecu,value,unit\r\n",
            "Save codes as CSV": "vehicle,code,ecu,states,group,description,first_seen\r\n",
        }
        for name, header in begin.items():
            browser.use(name)
            pattern = f"driving-{name.split()[1]}-*.csv"
            file = until(lambda: next(downloads.glob(pattern), None), name)
            text = file.read_bytes().decode()
            self.assertTrue(text.startswith(header), text[:200])
            self.assertTrue(all(line.startswith("driving,") for line in text.split("\r\n")[1:-1]), text[:200])
            self.assertGreater(len(text.split("\r\n")), 2)

    def test_selection_by_keyboard(self):
        browser = self.connected()
        browser.use("Select parameters and poll intervals")
        browser.go_to("Find")
        browser.press("throttle position")
        browser.go_to("Poll interval of Throttle position in seconds")
        browser.replace("1.5")
        browser.use("Poll Throttle position", Keys.SPACE)
        browser.press(Keys.SPACE)
        browser.use("Select")
        browser.await_text(".live", "Select parameters: done")
        browser.await_text(".tiles", "Throttle position")
        seconds = "[aria-label='Poll interval of Throttle position in seconds']"
        until(lambda: [one.get_attribute("value") for one in browser.find(seconds)] == ["1.5"], "the interval")
        # And away again, for ten minutes.
        browser.go_to("Find")
        browser.replace("throttle position")
        until(lambda: "Throttle position" in browser.text(".selection table"), "the row")
        browser.use("Poll Throttle position", Keys.SPACE)
        browser.go_to("For")
        browser.press(Keys.ARROW_DOWN)
        browser.use("Select")
        until(lambda: "Throttle position" not in browser.text(".tiles"), "the tile's end")
        self.assertEqual(browser.complaints(), [])

    def test_finding_by_keyboard(self):
        browser = self.connected()
        browser.use("Write a finding")
        browser.use("Record the finding")
        browser.await_text(".finding .problem", "Write your finding first")
        browser.go_to("Your finding")
        browser.press("Coil of cylinder 1: replace it.")
        browser.go_to("Codes of the finding")
        browser.press("p0301")
        browser.go_to("Urgency")
        browser.press("n")
        browser.use("Record the finding")
        browser.await_text(".live", "Record a finding: done")
        text = browser.await_text(".finding", "about P0301")
        self.assertIn("Coil of cylinder 1: replace it.", text)
        self.assertIn("Needs attention", text)

    def test_refused_clear_tells_why(self):
        browser = self.connected()
        browser.use("Clear codes …")
        text = browser.await_text("dialog", "This erases")
        self.assertNotRegex(text, r"\b(false|undefined|null|NaN|object)\b")
        for words in ["P0171", "P0301", "Misfire in cylinder 1", "freeze frame of 7E8", "readiness for an inspection"]:
            self.assertIn(words, text)
        # A permanent code is named once, among those that stay.
        erased, stays = text.split("These codes stay")
        self.assertNotIn("P0420", erased)
        self.assertIn("P0420", stays)
        # The safe answer has the focus, and Escape leaves all as it is.
        self.assertEqual(browser.driver.switch_to.active_element.text, "Cancel")
        browser.press(Keys.ESCAPE)
        until(lambda: not browser.find("dialog"), "the dialog's end")
        self.assertNotIn("Clear codes", browser.text(".log"))
        # The page knows that the engine runs, and offers nothing that would be refused.
        browser.use("Clear codes …")
        browser.await_text("dialog", "The agent would refuse this now: the ")
        confirm = next(one for one in browser.find("dialog button") if one.text == "Clear P0171, P0301")
        self.assertFalse(confirm.is_enabled())
        self.assertEqual(browser.violations(), [])
        browser.press(Keys.ESCAPE)
        self.assertIn("P0301", browser.text(".codes"))

    def test_clear_dialog_opens_at_its_top(self):
        """Many codes fit on no phone; the agent of this vehicle is played by the test."""
        codes = [{"code": f"P03{index:02}", "ecu": "7E8", "description": "Misfire in some cylinder", "states": ["stored"]} for index in range(1, 29)]
        say = lambda path, payload, **options: self.stage.publish(self.port, f"obd/faulty/{path}", payload, **options)
        say("availability", "online")
        say("status", {"link": "connected", "parked": False, "ignition": "on"})
        self.addCleanup(lambda: [say(path, "") for path in ["availability", "status"]])
        browser = self.open(size=PHONE)
        browser.use("Connect")
        until(lambda: self.choose(browser, "faulty", "codes"), "the vehicle")
        order = self.stage.hear(self.port, "obd/faulty/commands", lambda: browser.use("Clear codes …"))
        report = {"known": True, "mil": True, "codes": codes}
        say("responses", {"id": order["id"], "state": "succeeded", "result": report}, is_retained=False)
        browser.await_text("dialog", "Clear 28 codes")
        self.assertEqual(browser.driver.execute_script("return document.querySelector('dialog .body').scrollTop"), 0)
        for place in ["dialog h2", "dialog .actions"]:
            box = browser.driver.execute_script(f"return document.querySelector('{place}').getBoundingClientRect().toJSON()")
            self.assertGreaterEqual(box["top"], 0)
            self.assertLessEqual(box["bottom"], PHONE[1])
        self.assertEqual(browser.violations(), [])
        # The engine starts while the dialog is open.
        say("status", {"link": "connected", "parked": False, "ignition": "running"})
        browser.await_text("dialog", "would refuse this now: the engine runs")
        browser.picture(PICTURES / "clear.png")

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

    def test_clear_dialog_is_about_one_vehicle(self):
        say, report = self.played("first", "second")
        browser = self.open()
        browser.use("Connect")
        for name in ["second", "first"]:
            until(lambda: self.choose(browser, name) and "P0301" in browser.text(".codes"), name)
        commands = self.commands()

        def ask():
            """Opens the dialog about "first"; a second click while the codes are read does nothing."""
            before = len(commands())
            button = next(one for one in browser.find(".codes button") if one.text == "Clear codes …")
            browser.driver.execute_script("arguments[0].click(); arguments[0].click()", button)
            until(lambda: len(commands()) > before, "the command")
            until(lambda: not button.is_enabled(), "a disabled button")
            say("first", "responses", {"id": commands()[-1]["id"], "state": "succeeded", "result": report}, is_retained=False)
            browser.await_text("dialog", "Clear the codes of first?")
            self.assertEqual([(one["command"], one["vehicle"]) for one in commands()[before:]], [("read_codes", "first")])
            self.assertEqual(len(browser.find("dialog")), 1)

        ask()
        browser.driver.back()
        until(lambda: not browser.find("dialog"), "the dialog's end")
        browser.await_text(".who h2", "second")
        self.assertNotIn("clear_codes", [one["command"] for one in commands()])
        browser.driver.forward()
        browser.await_text(".who h2", "first")
        # What happens while the dialog is open.
        ask()
        confirm = next(one for one in browser.find("dialog button") if one.text == "Clear P0301")
        self.assertTrue(confirm.is_enabled())
        more = {"code": "P0420", "ecu": "7E8", "states": ["stored"]}
        for path, payload, told in [("codes", {**report, "time": "2026-11-22T10:00:09.000Z", "codes": [*report["codes"], more]}, "has other codes by now"),
                                    ("availability", "offline", "The agent is offline")]:
            say("first", path, payload)
            browser.await_text("dialog", told)
            self.assertFalse(confirm.is_enabled())
        say("first", "availability", "online")
        say("first", "codes", {**report, "time": "2026-11-22T10:00:10.000Z"})
        until(confirm.is_enabled, "an enabled button")
        confirm.click()
        until(lambda: commands()[-1]["command"] == "clear_codes", "the clear")
        self.assertEqual((commands()[-1]["vehicle"], commands()[-1]["arguments"]), ("first", {"confirm": ["P0301"]}))
        self.assertEqual([one["command"] for one in commands()].count("clear_codes"), 1)
        # Who leaves the broker is asked nothing more.
        ask()
        browser.driver.execute_script("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Disconnect').click()")
        until(lambda: not browser.find("dialog"), "the dialog's end")
        self.assertEqual(browser.complaints(), [])

    def test_draft_of_a_finding_is_about_one_vehicle(self):
        self.played("first", "second")
        browser = self.open()
        browser.use("Connect")
        until(lambda: self.choose(browser, "first"), "first")
        browser.click("Write a finding")
        browser.find(".finding textarea")[0].send_keys("Coil of the first is dead")
        until(lambda: self.choose(browser, "second"), "second")
        words = lambda: browser.driver.execute_script("return document.querySelector('.finding textarea').value")
        until(lambda: words() == "", "an empty form")
        browser.driver.back()
        until(lambda: words() == "Coil of the first is dead", "the draft")
        commands = self.commands()
        browser.click("Record the finding")
        until(commands, "the command")
        self.assertEqual((commands()[0]["vehicle"], commands()[0]["arguments"]["text"]), ("first", "Coil of the first is dead"))

    def test_address_of_no_vehicle_shows_the_list(self):
        """A broker would end the connection over the first one, and send the values of all vehicles for the second."""
        self.played("first", "second")
        browser = self.connected()
        for name in ["%00", "%2B", "%23", "a%2Fb"]:
            browser.driver.execute_script("location.hash = arguments[0]", f"#/{name}")
            until(lambda: browser.driver.execute_script("return document.querySelector('.console').dataset.shown") == "list", name)
            time.sleep(1)
            self.assertIn("Connected", browser.text(".connection"))

    def test_refused_user_is_not_tried_again(self):
        ports = free_port(), free_port()
        program = self.stage.broker_at("before", ports, "secret")
        browser = Browser(f"http://127.0.0.1:{ports[1]}/")
        self.addCleanup(browser.driver.quit)
        browser.go_to("Name")
        browser.press("anna", Keys.TAB, "secret", Keys.ENTER)
        browser.await_text(".connection", "Connected to")
        program.kill()
        program.wait()
        browser.await_text(".connection", "The connection is lost")
        self.assertIsNotNone(self.stage.broker_at("after", ports, "changed"))
        browser.await_text("form [role=alert]", "The broker refused the connection")
        self.assertEqual(browser.text(".connection"), "Not connected")
        log = self.stage.directory / "after.log"
        refused = log.read_text().count("not authorised")
        time.sleep(5)
        self.assertEqual(log.read_text().count("not authorised"), refused)

    def test_who_does_not_sign_is_told_and_who_signs_clears(self):
        browser = self.connected("standing")
        browser.use("Read codes")
        browser.await_text(".live", "Read codes: refused: the command must be signed")
        browser.await_text(".log", "choose your signing key")
        browser.find("input[type=file]")[0].send_keys(str(self.stage.directory / "trusted.json"))
        browser.await_text(".key", "The file has no private key")
        browser.find("input[type=file]")[0].send_keys(str(self.private))
        browser.await_text(".key", "signed by anna@garage.example, key anna-2026")
        browser.use("Clear codes …")
        browser.await_text("dialog", "Misfire in cylinder 1")
        browser.use("Clear P0301")
        browser.await_text(".live", "Clear codes: done")
        browser.await_text(".log", "Gone: P0301")
        browser.await_text(".codes", "no trouble codes")
        browser.use("Forget the key")
        browser.await_text(".key", "Commands are unsigned")

    def signing(self):
        """A browser that has a key, at the part Commands."""
        browser = self.connected("standing")
        until(lambda: self.choose(browser, "standing", "commands"), "the commands")
        browser.find("input[type=file]")[0].send_keys(str(self.private))
        browser.await_text(".key", "signed by anna@garage.example, key anna-2026. Key file: anna.jwk.")
        self.assertEqual(browser.driver.execute_script("return document.querySelector('input[type=file]').files.length"), 0)
        browser.click("Read codes")
        browser.await_text(".log", "Read codes")
        browser.driver.execute_script("document.querySelector('input[type=password]').value = 'secret'; window.isSame = true")
        return browser

    def assert_forgotten(self, browser):
        until(lambda: browser.find("form.connect")[0].is_displayed(), "the form")
        password, log = browser.driver.execute_script(
            "return [document.querySelector('input[type=password]').value, document.querySelector('.log').childElementCount]")
        self.assertEqual((password, log), ("", 0))
        browser.click("Connect")
        until(lambda: self.choose(browser, "standing", "commands"), "the commands")
        browser.await_text(".key", "Commands are unsigned")

    def test_key_is_forgotten_at_disconnect(self):
        browser = self.signing()
        browser.click("Disconnect")
        self.assert_forgotten(browser)

    def test_key_is_forgotten_by_a_page_to_which_the_user_comes_back(self):
        _, other = self.stage.broker("elsewhere")
        browser = self.signing()
        browser.driver.get(f"http://127.0.0.1:{other}/licenses.txt")
        browser.driver.back()
        until(lambda: browser.find("form.connect"), "the page")
        # The browser has kept the page, so a forgotten key was forgotten by the page itself.
        self.assertTrue(browser.driver.execute_script("return window.isSame"))
        self.assert_forgotten(browser)

    def test_unknown_vehicle_on_a_phone_has_a_way_back(self):
        browser = self.open(size=PHONE)
        browser.use("Connect")
        browser.await_text(".who", "Broker: connected")
        self.choose(browser, "nobody")
        browser.await_text(".page", "has not published anything")
        self.assertEqual(browser.text(".tabs"), "")
        self.assertNotIn("Broker", browser.text(".who"))
        browser.find(".back")[0].click()
        browser.await_text(".vehicles", "driving")

    def test_german_fits_a_small_phone(self):
        browser = self.open(size=(320, 640))
        browser.driver.execute_script("localStorage.setItem('obd-agent-console', JSON.stringify({ language: 'de' })); location.reload()")
        browser.await_text("form", "Passwort")
        browser.click("Verbinden")
        browser.await_text(".tiles", "Geschwindigkeit")
        bar = "return [document.documentElement.scrollWidth, ...[...document.querySelectorAll('.bar button')].map((one) => one.getBoundingClientRect().right)]"
        for edge in browser.driver.execute_script(bar):
            self.assertLessEqual(edge, 320)
        browser.picture(PICTURES / "german-small.png")

    def test_list_on_paper(self):
        browser = self.connected()
        browser.driver.execute_script("location.hash = '#/'; window.print = () => {}")
        browser.await_text(".vehicles", "standing")
        browser.driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        table = browser.driver.execute_script("return [...document.querySelectorAll('.report tbody tr')].map((row) => row.textContent)")
        self.assertTrue(any(re.match(r"drivingonline\d codes?warning lamp on", row) for row in table), table)
        browser.driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(browser.find(".report"), [])

    def test_markup_in_messages_is_text(self):
        say = lambda path, payload: self.stage.publish(self.port, f"obd/<b>evil/{path}", payload)
        time = "2026-11-22T10:00:00.000Z"
        say("status", {"time": time, "link": MARKUP, "problem": MARKUP, "adapter": {"identity": MARKUP}, "version": MARKUP})
        say("vehicle", {"vin": MARKUP, "protocol": MARKUP, "selected": {}, "ecus": [{"supported": [MARKUP]}]})
        say("codes", {"known": True, "mil": True, "time": time, "unread": [MARKUP], "codes": [
            {"code": MARKUP, "ecu": MARKUP, "description": MARKUP, "group": MARKUP, "category": MARKUP, "states": [MARKUP],
             "freeze_frame": {"values": {MARKUP: {"value": MARKUP, "unit": MARKUP}}, "unread": [MARKUP]}}]})
        say("monitors", {"monitors": {MARKUP: MARKUP}})
        say("finding", {"text": MARKUP, "issuer": MARKUP, "severity": MARKUP, "codes": [MARKUP], "time": time})
        say("parameters/engine_speed", {"value": MARKUP, "unit": MARKUP, "label": MARKUP, "time": time})
        say("availability", "online")
        self.addCleanup(lambda: [say(path, "") for path in ["availability", "status", "vehicle", "codes", "monitors", "finding", "parameters/engine_speed"]])
        browser = self.open()
        browser.use("Connect")
        browser.await_text(".vehicles", "<b>evil")
        self.choose(browser, "<b>evil")
        for place in [".who", ".tiles", ".codes", ".readiness", ".finding"]:
            browser.await_text(place, MARKUP)
        self.assertEqual(browser.find("img, main b, iframe, object"), [])
        self.assertEqual(browser.driver.title, "<b>evil · obd-agent console")
        self.assertEqual(browser.complaints(), [])
        self.assertEqual(browser.hosts(), {self.host})

    def test_who_is_not_let_in_is_told(self):
        _, http = self.stage.broker("guarded", password="secret")
        with Browser(f"http://127.0.0.1:{http}/") as browser:
            browser.use("Connect")
            browser.await_text("form [role=alert]", "refused the connection")
            browser.go_to("Name")
            browser.press("anna")
            browser.go_to("Password")
            browser.press("secret", Keys.ENTER)
            browser.await_text(".connection", "Connected to")
            browser.await_text(".fleet", "No vehicle has published anything yet")
            browser.use("Disconnect")
            browser.await_text("form", "Password")

    def test_samples_of_etc(self):
        """Broker and web server as etc/ has them: over https, by name and password."""
        port = self.stage.sample(ROOT / "etc/mosquitto", "specialist+anna", "secret")
        secure = self.stage.web_server(ROOT / "etc/nginx/obd-console.conf", port)
        for address, host in [(f"http://127.0.0.1:{port}/", f"127.0.0.1:{port}"), (f"https://localhost:{secure}/", f"localhost:{secure}")]:
            with Browser(address) as browser:
                browser.go_to("Name")
                browser.press("specialist+anna")
                browser.go_to("Password")
                browser.press("secret", Keys.ENTER)
                browser.await_text(".connection", f"Connected to {host}")
                self.assertEqual(browser.hosts(), {host})
                self.assertEqual(browser.complaints(), [])
        connection = http.client.HTTPSConnection("127.0.0.1", secure, timeout=10, context=unverified())
        connection.request("GET", "/console.js", headers={"Accept-Encoding": "gzip"})
        with contextlib.closing(connection):
            answer = connection.getresponse()
            self.assertEqual([answer.getheader("Content-Encoding"), answer.getheader("Cache-Control")], ["gzip", "no-cache"])
        own = f"https://localhost:{secure}"
        for origin, status in [
            (own, 101), (None, 101), ("https://evil.example", 403), ("null", 403), (f"{own}.evil.example", 403),
            (f"http://localhost:{secure}", 403), ("https://localhost", 403),
        ]:
            self.assertEqual(handshake(secure, origin), status, origin)

    def test_at_home_without_https(self):
        """As docs/tasks/set-up-console.md has it, by a name that is not localhost: browsers sign nothing there, and the page says so."""
        port = self.stage.at_home(ROOT / "docs/tasks/set-up-console.md", "owner", "secret")
        with Browser(f"http://broker.example:{port}/", names="broker.example") as browser:
            browser.await_text("form", "Without https, others in this network can read all data")
            browser.use("Connect")
            browser.await_text("form [role=alert]", "refused the connection")
            browser.go_to("Name")
            browser.press("owner")
            browser.go_to("Password")
            browser.press("secret", Keys.ENTER)
            browser.await_text(".connection", f"Connected to broker.example:{port}")
            browser.await_text(".fleet", "No vehicle has published anything yet")
        with Browser(f"http://broker.example:{self.http}/", names="broker.example") as browser:
            browser.use("Connect")
            browser.await_text(".tiles", "rpm")
            browser.find("input[type=file]")[0].send_keys(str(self.private))
            browser.await_text(".key", "browsers sign only on pages from https://")

    def test_lost_broker_comes_back(self):
        ports = free_port(), free_port()
        program = self.stage.broker_at("returning", ports)
        self.stage.vehicle("away", ports[0], "--seed", "3", "--trip", "600")
        with Browser(f"http://127.0.0.1:{ports[1]}/") as browser:
            browser.use("Connect")
            browser.await_text(".tiles", "rpm")
            browser.await_text(".who", "Vehicle: in use")
            self.assertEqual(self.ages(browser), {"live"})
            time.sleep(3)
            program.kill()
            program.wait(10)
            browser.await_text(".connection", "The connection is lost since")
            for words in ["These are the last known values", "Broker: connection lost", "Agent: last known: online", "Adapter: last known: connected", "Vehicle: last known: in use"]:
                browser.await_text(".who", words)
            browser.await_text(".vehicles", "last known: online")
            self.assertEqual(self.ages(browser), {"last"})
            browser.await_text(".tiles", "last known, ")
            # Neither gauges nor plots go on as if something was measured.
            accent, needle = browser.driver.execute_script(
                "return ['.primary', '.needle'].map((one) => getComputedStyle(document.querySelector(one))).map((one, index) => index ? one.stroke : one.backgroundColor)")
            self.assertNotEqual(accent, needle)
            end = self.trace(browser)[-1][1]
            until(lambda: self.trace(browser)[-1][1] < end - 10, "the plot's end, which moves away")
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: not sent: there is no connection to the broker")
            self.assertEqual(browser.violations(), [])
            browser.picture(PICTURES / "lost.png")
            self.stage.broker_at("returning-again", ports)
            browser.await_text(".connection", "Connected to", 60)
            until(lambda: self.ages(browser) == {"live"}, "live values", 60)
            until(lambda: len(self.trace(browser)) > 1, "another line")
            before, after = self.trace(browser)[-2:]
            self.assertGreater(after[0], before[1] + 5)
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: done", 60)

    def test_network_that_is_gone_and_a_command_meanwhile(self):
        """Nothing closes the connection: the broker just stands still."""
        ports = free_port(), free_port()
        program = self.stage.broker_at("silent", ports)
        self.crowd(ports[0], 1)
        with Browser(f"http://127.0.0.1:{ports[1]}/") as browser:
            browser.use("Connect")
            browser.await_text(".tiles", "800")
            program.send_signal(signal.SIGSTOP)
            self.addCleanup(program.send_signal, signal.SIGCONT)
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: being sent")
            browser.await_text(".live", "Read codes: the connection was lost while it was being sent, so the vehicle may have it or not", 40)
            browser.await_text(".who", "Broker: connection lost")
            self.assertEqual(self.ages(browser), {"last"})
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: not sent")
            # What was not sent is not sent later either.
            program.send_signal(signal.SIGCONT)
            browser.await_text(".who", "Broker: connected", 40)
            self.assertEqual([browser.find(".log li")[index].get_attribute("data-state") for index in range(2)], ["unsent", "sent"])

    def test_killed_agent_and_lost_adapter(self):
        port, http = self.stage.broker("hurt")
        _, agent, car = self.stage.vehicle("hurt", port, "--seed", "5", "--trip", "600")
        with Browser(f"http://127.0.0.1:{http}/") as browser:
            browser.use("Connect")
            until(lambda: self.ages(browser) == {"live"}, "live values", 60)
            car.kill()
            browser.await_text(".who", "Vehicle: last known: in use")
            self.assertEqual(self.ages(browser), {"last"})
            self.assertIn("Agent: online", browser.text(".who"))
            self.assertNotIn("Adapter: connected", browser.text(".who"))
            agent.terminate()
            browser.await_text(".who", "Agent: offline")
            browser.await_text(".who", "Adapter: last known:")
            self.assertEqual(self.ages(browser), {"last"})
            self.assertEqual(browser.violations(), [])

    def test_late_value_shows_its_age(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        at = lambda seconds: (now - datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        say = lambda path, payload: self.stage.publish(self.port, f"obd/slow/{path}", payload)
        status = {"time": at(0), "link": "connected", "vehicle_confirmed": True, "parked": False, "ignition": "running"}
        self.addCleanup(lambda: [say(path, "") for path in ["availability", "status", "parameters/fuel_level"]])
        say("parameters/fuel_level", {"value": 41, "unit": "%", "ecu": "7E8", "quality": "good", "time": at(300)})
        say("status", {**status, "live_within": 60})
        say("availability", "online")
        browser = self.open()
        browser.use("Connect")
        until(lambda: self.choose(browser, "slow"), "the vehicle")
        browser.await_text(".tiles", "5 min ago")
        self.assertEqual(self.ages(browser), {"late"})
        self.assertEqual(browser.violations(), [])
        say("status", {**status, "live_within": 600})
        until(lambda: self.ages(browser) == {"live"}, "a longer limit")
        say("status", {**status, "live_within": 600, "parked": True})
        browser.await_text(".tiles", "last known, 5 min ago")
        browser.await_text(".who", "Vehicle: parked")

    @staticmethod
    def ages(browser):
        """The kinds of age that the tiles have."""
        return set(browser.driver.execute_script("return [...document.querySelectorAll('.tile')].map((one) => one.dataset.age)"))

    @staticmethod
    def trace(browser):
        """Where the lines of the first plot begin and end, in pixels."""
        path = browser.driver.execute_script("return document.querySelector('.trace').getAttribute('d') ?? ''")
        return [[float(part.split()[0]), float(re.split("[HV]", part)[-1])] for part in path.split("M")[1:]]

    def test_notice_of_a_lost_broker_fits_a_phone(self):
        ports = free_port(), free_port()
        program = self.stage.broker_at("leaving", ports)
        self.crowd(ports[0], 1)
        with Browser(f"http://127.0.0.1:{ports[1]}/", size=PHONE) as browser:
            browser.use("Connect")
            browser.await_text(".who", "Broker: connected")
            program.kill()
            browser.await_text(".who", "Broker: connection lost")
            cut = browser.driver.execute_script("const one = document.querySelector('.connection'); return one.scrollWidth > one.clientWidth")
            self.assertFalse(cut)
            self.assertLessEqual(browser.driver.execute_script("return document.documentElement.scrollWidth"), PHONE[0])
            browser.picture(PICTURES / "phone-lost.png")

    def test_plot_has_a_gap_for_the_time_with_another_vehicle(self):
        browser = self.connected("driving")
        until(lambda: self.trace(browser) and self.trace(browser)[-1][1] - self.trace(browser)[-1][0] > 15, "a line")
        lines = len(self.trace(browser))
        self.choose(browser, "standing")
        browser.await_text(".who h2", "standing")
        time.sleep(8)
        self.choose(browser, "driving")
        browser.await_text(".tiles", "rpm")
        until(lambda: len(self.trace(browser)) > lines, "another line")
        before, after = self.trace(browser)[-2:]
        # Two minutes are as wide as the plot.
        width = browser.driver.execute_script("return document.querySelector('.plot').clientWidth - 62")
        self.assertGreater((after[0] - before[1]) / width * 120, 6)

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

    def test_600_vehicles_are_all_listed_with_their_codes(self):
        port, http = self.stage.broker("crowd")
        self.crowd(port, 600, forerunners=350)
        with Browser(f"http://127.0.0.1:{http}/") as browser:
            browser.use("Connect")
            browser.await_text(".fleet h2", "600 vehicles")
            until(lambda: not browser.text(".fleet .notice"), "the states of all", 60)
            words = ["no codes", "1 code", "2 codes", "3 codes"]
            self.assertEqual(self.rows(browser), {f"van-{index:04}": words[index % 4] for index in range(600)})
            browser.await_text(".who h2", "van-0000")
            browser.await_text(".tiles", "800")
            self.assertEqual(browser.complaints(), [])
            # The list scrolls by itself, and most of it is not there.
            self.assertLess(browser.driver.execute_script("return document.documentElement.scrollHeight"), 5000)
            self.assertLess(len(browser.find(".vehicles li")), 60)

    def test_list_is_searched_and_sorted_and_has_an_address(self):
        port, http = self.stage.broker("found")
        self.crowd(port, 300)
        with Browser(f"http://127.0.0.1:{http}/#/") as browser:
            browser.use("Connect")
            browser.await_text(".fleet h2", "300 vehicles")
            until(lambda: not browser.text(".fleet .notice"), "the states of all", 60)
            self.assertEqual(browser.text(".who"), "")
            browser.go_to("Search")
            browser.press("van-02 P0002")
            browser.await_text(".fleet h2", "25 of 300 vehicles")
            browser.replace("van-029")
            browser.await_text(".fleet h2", "10 of 300 vehicles")
            browser.go_to("Sort by")
            browser.press("c")
            until(lambda: browser.text(".vehicles").startswith("van-0291"), "the most codes first")
            browser.use("With codes 225")
            browser.await_text(".fleet h2", "8 of 300 vehicles")
            self.assertEqual(browser.driver.execute_script("return location.hash"), "#/?search=van-029&sort=codes&show=codes")
            self.assertEqual(browser.violations(), [])
            self.assertEqual(browser.nameless(), [])
            browser.picture(PICTURES / "list.png")
            # The arrow keys move through the list, and the browser goes back to it.
            browser.press(Keys.TAB, Keys.ARROW_DOWN, Keys.ENTER)
            browser.await_text(".who h2", "van-0295")
            self.assertEqual(browser.driver.execute_script("return location.hash"), "#/van-0295")
            browser.driver.back()
            browser.await_text(".fleet h2", "8 of 300 vehicles")
            self.assertEqual(browser.text(".who"), "")
            # What was chosen is remembered, and nothing else.
            kept = browser.driver.execute_script("return JSON.stringify(localStorage)")
            self.assertIn("van-029", kept)
            self.assertNotRegex(kept, "(?i)password|jwk|specialist")
        with Browser(f"http://127.0.0.1:{http}/#/van-0123/codes") as browser:
            browser.use("Connect")
            browser.await_text(".who h2", "van-0123")
            browser.await_text(".codes", "P0002")
            self.assertEqual(browser.driver.execute_script("return document.querySelector('.tabs [aria-current]').textContent"), "Codes")

    def test_german(self):
        browser = self.open()
        browser.use("More")
        browser.go_to("Language")
        browser.press("D")
        browser.await_text("form", "Passwort")
        # Without a screen the browser takes the focus from a page that loads itself again.
        browser.devtools("Page.bringToFront")
        browser.use("Verbinden")
        browser.await_text(".tiles", "Motordrehzahl")
        browser.await_text(".who", "Fahrzeug: in Betrieb")
        self.assertEqual(browser.driver.execute_script("return document.documentElement.lang"), "de")
        self.assertNotRegex(browser.text("main"), r"\b(undefined|NaN)\b")
        self.assertEqual(browser.violations(), [])
        self.assertEqual(browser.complaints(), [])
        browser.picture(PICTURES / "german.png")

    def test_vehicles_that_the_broker_does_not_pass_on_are_told(self):
        port, http = self.stage.broker("throng")
        self.crowd(port, 1100)
        with Browser(f"http://127.0.0.1:{http}/") as browser:
            browser.use("Connect")
            text = browser.await_text(".fleet .notice", "The broker passes on only")
            self.assertIn("max_queued_messages", text)
            listed = self.rows(browser)
            count = len(listed)
            self.assertTrue(990 <= count <= 1020, count)
            self.assertIn(f"{count:,} vehicles", browser.text(".fleet h2"))
            # One of the others appears as soon as it sends something, with its codes.
            missing = next(f"van-{index:04}" for index in range(1100) if f"van-{index:04}" not in listed)
            self.stage.publish(port, f"obd/{missing}/status", {"link": "connected"})
            until(lambda: "code" in self.rows(browser).get(missing, ""), missing)

    def test_phone_shows_values_above_the_fold_and_the_way_back(self):
        port, http = self.stage.broker("few")
        self.crowd(port, 55)
        with Browser(f"http://127.0.0.1:{http}/", size=PHONE) as browser:
            browser.use("Connect")
            browser.await_text(".tiles", "800")
            bottom = browser.driver.execute_script("return document.querySelector('.tile .reading').getBoundingClientRect().bottom")
            self.assertLess(bottom, PHONE[1])
            self.assertEqual(browser.text(".fleet"), "")
            self.assertEqual(browser.violations(), [])
            browser.picture(PICTURES / "phone-vehicle.png")
            browser.use("‹ All 55 vehicles")
            browser.await_text(".fleet h2", "55 vehicles")
            self.assertEqual(browser.text(".who"), "")
            self.assertIn("van-0000", browser.driver.switch_to.active_element.text)
            self.assertEqual(browser.violations(), [])
            browser.go_to("Search")
            browser.press("0042")
            browser.await_text(".fleet h2", "1 of 55 vehicles")
            browser.find(".vehicles a")[0].click()
            browser.await_text(".who h2", "van-0042")
            browser.await_text(".tiles", "842")
            self.assertEqual(browser.driver.execute_script("return window.scrollY"), 0)
            self.assertEqual(browser.driver.switch_to.active_element.text, "van-0042")
            # One part at a time, by the bar below.
            self.assertEqual(browser.text(".codes"), "")
            browser.use("Codes")
            browser.await_text(".codes", "P0001")
            self.assertEqual(browser.text(".tiles"), "")
            self.assertEqual(browser.driver.execute_script("return location.hash"), "#/van-0042/codes")
            self.assertEqual(browser.violations(), [])
            browser.picture(PICTURES / "phone-codes.png")

    def test_plot_button_goes_to_the_plot(self):
        browser = self.connected(size=PHONE)
        browser.use("Plot Engine load", Keys.SPACE)
        browser.await_text(".plots h4", "Engine load")
        place = "return [...document.querySelectorAll('.plots h4')].find((one) => one.textContent === 'Engine load').closest('figure').getBoundingClientRect().toJSON()"
        until(lambda: 0 <= browser.driver.execute_script(place)["top"] < PHONE[1] - 100, "the plot in sight")

    def test_offline_vehicle(self):
        self.stage.publish(self.port, "obd/parked/availability", "offline")
        self.stage.publish(self.port, "obd/parked/status", {"time": "2026-11-20T10:00:00.000Z", "parked": True})
        self.stage.publish(self.port, "obd/parked/parameters/fuel_level",
                           {"value": 41, "unit": "%", "ecu": "7E8", "quality": "good", "time": "2026-11-20T09:00:00.000Z"})
        self.addCleanup(lambda: [self.stage.publish(self.port, f"obd/parked/{path}", "") for path in ["availability", "status", "parameters/fuel_level", "commands"]])
        browser = self.open()
        browser.use("Connect")
        browser.await_text(".vehicles", "last seen Nov 20, 2026")
        self.choose(browser, "parked")
        browser.await_text(".who", "The agent is offline")
        browser.await_text(".tiles", "41")
        browser.use("Read codes")
        browser.await_text(".live", "the vehicle is offline, and runs it if it is back by")
        # Who looks at another vehicle meanwhile still hears the answer.
        order = self.stage.hear(self.port, "obd/parked/commands", lambda: browser.use("Read readiness"))
        self.choose(browser, "driving")
        self.stage.publish(self.port, "obd/parked/responses", {"id": order["id"], "state": "refused", "reason": "not_connected", "message": "no vehicle"}, is_retained=False)
        browser.await_text(".live", "Read readiness: refused: the vehicle does not answer")

    def test_traction_battery(self):
        roles = {"state_of_charge": ["pack"], "charging": ["state"], "plugged_in": ["plug"]}
        documents = {"availability": "online", "vehicle": {"roles": roles, "true_values": {"state": [5]}}}
        readings = {"pack": {"value": 64.5, "unit": "%"}, "state": {"value": 6, "label": "Done"}, "plug": {"value": True}, "fuel_level": {"value": 41, "unit": "%"}}
        for name, reading in readings.items():
            documents[f"parameters/{name}"] = {**reading, "ecu": "7EC", "quality": "good", "time": "2026-11-20T09:00:00.000Z"}
        for path, document in documents.items():
            self.stage.publish(self.port, f"obd/electric/{path}", document)
        self.addCleanup(lambda: [self.stage.publish(self.port, f"obd/electric/{path}", "") for path in documents])
        browser = self.open()
        browser.use("Connect")
        browser.await_text(".vehicles", "electric")
        self.choose(browser, "electric")
        browser.await_text(".pack", "64.5")
        self.assertIn("Done", browser.text(".pack"))
        self.assertIn("41", browser.text(".tiles"))
        self.assertNotIn("64.5", browser.text(".tiles"))
        browser.await_text(".values .tags", "not charging")
        browser.await_text(".values .tags", "plugged in")
        self.assertEqual(browser.complaints(), [])

    def test_position_and_exceeded_limits(self):
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        say = lambda path, payload: self.stage.publish(self.port, f"obd/moving/{path}", payload)
        heads = {"v": 1, "time": now, "clock": "synchronised", "age": 0}
        place = {**heads, "quality": "good", "latitude": 52.51628, "longitude": 13.37771, "accuracy": 8}
        say("availability", "online")
        say("position", place)
        say("limits", {"v": 1, "time": now, "limits": {
            "low_battery": {"when": "state_of_charge < 15", "exceeded": True, "since": now}, "hot": {"when": "coolant_temperature > 110", "exceeded": False}}})
        self.addCleanup(lambda: [say(path, "") for path in ["availability", "position", "limits"]])
        browser = self.open()
        browser.use("Connect")
        browser.await_text(".vehicles", "moving")
        self.choose(browser, "moving")
        browser.await_text(".position", "52.51628, 13.37771")
        for words in ["± 8 m", " ago"]:
            browser.await_text(".position", words)
        self.assertNotIn("last known", browser.text(".position"))
        links = [one.get_attribute("href") for one in browser.find(".position a")]
        self.assertEqual(links, ["geo:52.51628,13.37771;u=8", "https://www.openstreetmap.org/?mlat=52.51628&mlon=13.37771#map=17/52.51628/13.37771"])
        for words in ["Low battery", "exceeded", "state_of_charge < 15"]:
            browser.await_text(".limits", words)
        self.assertNotIn("Hot", browser.text(".limits"))
        # The page itself asks nobody for a map.
        self.assertEqual(browser.hosts(), {self.host})
        self.assertEqual(browser.nameless(), [])
        # The links keep the focus while the age grows.
        browser.go_to("Show on openstreetmap.org")
        before = browser.text(".position")
        until(lambda: browser.text(".position") != before, "another age")
        self.assertEqual(browser.driver.switch_to.active_element.text, "Show on openstreetmap.org")
        say("position", {**place, "quality": "stale", "age": 40})
        browser.await_text(".position", "no fix now")
        say("position", {**heads, "quality": "withheld", "zone": MARKUP})
        browser.await_text(".position", f"In the zone {MARKUP}")
        self.assertEqual(browser.find(".position a, .position img"), [])
        say("position", "")
        say("limits", {"v": 1, "time": now, "limits": {"hot": {"when": "coolant_temperature > 110"}}})
        until(lambda: browser.text(".position") + browser.text(".limits") == "", "the end of both")
        self.assertEqual(browser.complaints(), [])

    def test_parked_vehicle_is_woken(self):
        self.stage.vehicle("resting", self.port, "--seed", "4", "--trip", "1", "--pause", "3600", parks_after=30)
        self.addCleanup(lambda: [self.stage.publish(self.port, f"obd/resting/{path}", "") for path in ["availability", "status"]])
        browser = self.connected("resting")
        browser.await_text(".who", "The vehicle is parked", 90)
        self.assertIn("parked", browser.text(".vehicles"))
        browser.use("Read codes")
        browser.await_text(".live", "Read codes: refused: the vehicle is parked: wake it first")
        browser.use("Wake the vehicle")
        browser.await_text(".live", "Wake the vehicle: done", 60)
        browser.use("Read codes")
        browser.await_text(".live", "Read codes: done")

    def test_frame_of_somebody_else(self):
        page = self.stage.directory / "frame.html"
        page.write_text(f'<iframe src="http://{self.host}/" width="900" height="900"></iframe>')
        with Browser(page.as_uri()) as browser:
            browser.driver.switch_to.frame(0)
            browser.await_text("main", "inside another page")
            self.assertEqual(browser.find("button"), [])

    def test_phone(self):
        browser = self.connected(size=PHONE)
        for part in ["values", "history", "codes", "trips", "events", "vehicle", "commands"]:
            self.choose(browser, "driving", part)
            until(lambda: browser.find(f"[data-part={part}]")[0].is_displayed(), part)
            self.assertEqual(len([one for one in browser.find(".part") if one.is_displayed()]), 1)
            self.assertLessEqual(browser.driver.execute_script("return document.documentElement.scrollWidth"), PHONE[0], part)
            small = browser.driver.execute_script(
                "return [...document.querySelectorAll('button, .tabs a')].filter((one) => one.checkVisibility() && one.offsetHeight < 32).map((one) => one.textContent)")
            self.assertEqual(small, [], part)
            self.assertEqual(browser.violations(), [], part)
            browser.picture(PICTURES / f"phone-{part}-live.png")

    def test_wide_screen(self):
        for size in [(820, 1180), (2560, 1440)]:
            browser = self.connected(size=size)
            self.assertLessEqual(browser.driver.execute_script("return document.documentElement.scrollWidth"), size[0])
            self.assertEqual(browser.violations(), [])
            browser.picture(PICTURES / f"wide-{size[0]}.png")

    def test_pictures(self):
        for name, is_dark in [("light", False), ("dark", True)]:
            browser = self.connected(is_dark=is_dark, size=DESKTOP)
            browser.await_text(".plots", "Vehicle speed")
            # Long enough for a history.
            until(lambda: browser.driver.execute_script("return (document.querySelector('.trace').getAttribute('d') ?? '').length > 240"), "a history", 60)
            ground = browser.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(ground, "rgb(14, 19, 24)" if is_dark else "rgb(243, 245, 247)")
            browser.picture(PICTURES / f"{name}.png")
        if os.environ.get("OBD_AGENT_PICTURE"):
            shutil.copy(PICTURES / "light.png", os.environ["OBD_AGENT_PICTURE"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
