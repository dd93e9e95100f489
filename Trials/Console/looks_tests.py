# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Phones, wide screens, German, the page's size, and pictures."""

import os
import shutil

from browser import Browser, DESKTOP, PHONE
from scene import PAGE, PICTURES, Scene
from stage import until

LIMIT = 120_000


class LooksTests(Scene):
    def test_size(self):
        """Compressed, as the web server of etc/ sends it: all files that a user of one language gets."""
        for language, other in [("en", "de"), ("de", "en")]:
            files = [file for file in PAGE.glob("*.gz") if not file.name.endswith(f".{other}.json.gz")]
            self.assertEqual(len([file for file in files if f".{language}.json" in file.name]), 2)
            self.assertLess(sum(file.stat().st_size for file in files), LIMIT)

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
