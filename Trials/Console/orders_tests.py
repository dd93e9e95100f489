# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Commands to vehicles: reading, clearing, findings, waking."""

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from scene import PICTURES, Scene
from stage import until


class OrdersTests(Scene):
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
