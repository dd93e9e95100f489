# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Values, plots and their files; batteries, positions and limits."""

import datetime
import time

from selenium.webdriver.common.keys import Keys

from browser import Browser, PHONE
from scene import MARKUP, Scene, UNRECORDED
from stage import until


class ValuesTests(Scene):
    def test_values(self):
        """One click leads to live values."""
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

    def test_plot_has_a_gap_for_the_time_with_another_vehicle(self):
        port, http = self.stage.broker("gap")
        self.stage.vehicle("unrecorded", port, "--seed", "6", "--trip", "600", uplink=UNRECORDED)
        self.stage.publish(port, "obd/standing/availability", "online")
        browser = Browser(f"http://127.0.0.1:{http}/")
        self.addCleanup(browser.driver.quit)
        browser.use("Connect")
        until(lambda: self.choose(browser, "unrecorded"), "unrecorded")
        browser.await_text(".tiles", "rpm")
        until(lambda: self.trace(browser) and self.trace(browser)[-1][1] - self.trace(browser)[-1][0] > 15, "a line")
        lines = len(self.trace(browser))
        self.choose(browser, "standing")
        browser.await_text(".who h2", "standing")
        time.sleep(8)
        self.choose(browser, "unrecorded")
        browser.await_text(".tiles", "rpm")
        until(lambda: len(self.trace(browser)) > lines, "another line")
        # The new line begins with the value that the broker has kept, which is some seconds old.
        self.assertGreater(max(self.gaps(browser)), 3)

    def test_plot_button_goes_to_the_plot(self):
        browser = self.connected(size=PHONE)
        browser.use("Plot Engine load", Keys.SPACE)
        browser.await_text(".plots h4", "Engine load")
        place = "return [...document.querySelectorAll('.plots h4')].find((one) => one.textContent === 'Engine load').closest('figure').getBoundingClientRect().toJSON()"
        until(lambda: 0 <= browser.driver.execute_script(place)["top"] < PHONE[1] - 100, "the plot in sight")

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
