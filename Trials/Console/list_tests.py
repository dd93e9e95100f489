# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The list of vehicles, long ones too, and the addresses of vehicles."""

import re
import time

from selenium.webdriver.common.keys import Keys

from browser import Browser
from scene import PICTURES, Scene
from stage import until


class ListTests(Scene):
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

    def test_address_of_no_vehicle_shows_the_list(self):
        """A broker would end the connection over the first one, and send the values of all vehicles for the second."""
        self.played("first", "second")
        browser = self.connected()
        for name in ["%00", "%2B", "%23", "a%2Fb"]:
            browser.driver.execute_script("location.hash = arguments[0]", f"#/{name}")
            until(lambda: browser.driver.execute_script("return document.querySelector('.console').dataset.shown") == "list", name)
            time.sleep(1)
            self.assertIn("Connected", browser.text(".connection"))

    def test_list_on_paper(self):
        browser = self.connected()
        browser.driver.execute_script("location.hash = '#/'; window.print = () => {}")
        browser.await_text(".vehicles", "standing")
        browser.driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        table = browser.driver.execute_script("return [...document.querySelectorAll('.report tbody tr')].map((row) => row.textContent)")
        self.assertTrue(any(re.match(r"drivingonline\d codes?warning lamp on", row) for row in table), table)
        browser.driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(browser.find(".report"), [])
