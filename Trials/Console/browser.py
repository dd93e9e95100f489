# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a screen, used as somebody does who has no mouse."""

import base64
import collections
import json
import os
import pathlib
import re
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

from stage import until

DESKTOP = (1400, 1000)
PHONE = (390, 844)
# Deque's rules of accessibility, from the wheel axe-core-python.
AXE = pathlib.Path(__file__).resolve().parents[2] / ".build/axe/axe_core_python/axe.min.js"
# What the focus is on: its words as assistive technology has them, nearly.
FOCUSED = """
const at = document.activeElement;
const label = at.labels && at.labels.length ? at.labels[0].textContent : "";
return (at.getAttribute("aria-label") || label || at.textContent || "").trim();
"""


class Browser:
    def __init__(self, address, size=DESKTOP, is_dark=False, downloads=None, names=None):
        options = webdriver.ChromeOptions()
        # The certificates of tests are signed by nobody.
        options.accept_insecure_certs = True
        for word in [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--hide-scrollbars", "--lang=en", f"--window-size={size[0]},{size[1]}",
        ]:
            options.add_argument(word)
        if names:
            options.add_argument(f"--host-resolver-rules=MAP {names} 127.0.0.1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.size = size
        self.look(size, is_dark)
        if downloads:
            self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        self.driver.get(address)
        # The page has to read its texts first. A key that comes earlier could take the focus away from it.
        until(lambda: self.driver.execute_script("return document.querySelector('main')?.childElementCount !== 0"), "the page")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def devtools(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, height):
        metrics = {"width": self.size[0], "height": height, "deviceScaleFactor": 1, "mobile": self.size == PHONE}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """What is to be read there; nothing where it is being replaced just now."""
        try:
            return "\n".join(element.text for element in self.find(selector))
        except StaleElementReferenceException:
            return ""

    def await_text(self, selector, words, seconds=30):
        try:
            return until(lambda: words in self.text(selector) and self.text(selector), words, seconds)
        except TimeoutError:
            raise AssertionError(f"no \"{words}\" in {selector}, but: {self.text(selector)}") from None

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def replace(self, text):
        """Types in place of what stands in a field."""
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(text).perform()

    def go_to(self, words, key=Keys.TAB):
        """Moves the focus by keyboard until it is on what is called so."""
        seen = []
        for _ in range(250):
            name = self.driver.execute_script(FOCUSED)
            if name == words:
                # On a busy machine the page has an active element before its window has the focus.
                until(lambda: self.driver.execute_script("return document.activeElement.matches(':focus-visible')"), f"the focus on {words} is not to be seen", 10)
                return
            seen.append(name)
            self.press(key)
        raise AssertionError(f"the focus never came to \"{words}\": {[name[:40] for name in seen[:100]]}")

    def click(self, words, within="body"):
        """Clicks the control that is called so: by its label, or by its text."""
        script = """
            const [words, within] = arguments;
            const name = (at) => (at.getAttribute("aria-label") || (at.labels && at.labels.length ? at.labels[0].textContent : "") || at.textContent || "").trim();
            const controls = [...document.querySelectorAll(`${within} :is(a, button, summary, input, select, textarea)`)];
            return controls.find((at) => at.checkVisibility() && !at.disabled && name(at) === words);
        """
        control = until(lambda: self.driver.execute_script(script, words, within), f"the control \"{words}\" in {within}")
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", control)
        control.click()
        return control

    def use(self, words, key=Keys.ENTER):
        """Goes to what is called so, and presses a key."""
        self.go_to(words)
        self.press(key)

    def picture(self, path):
        """The whole page as a PNG file."""
        self.resize(max(self.size[1], self.driver.execute_script("return document.documentElement.scrollHeight")))
        self.driver.save_screenshot(str(path))
        self.resize(self.size[1])

    def hosts(self):
        """Whom the page has asked for anything, since the last time."""
        result = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            url = message["params"].get("request", {}).get("url") or message["params"].get("url", "")
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated") and not url.startswith(("data:", "blob:")):
                result.add(urllib.parse.urlsplit(url).netloc)
        return result

    def received(self):
        """The bytes that came for the page's files, as they were sent, since the last time; without those of WebSockets."""
        total = 0
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.loadingFinished":
                total += message["params"]["encodedDataLength"]
        return total

    def paper(self, path):
        """Prints the page into a PDF file."""
        path.write_bytes(base64.b64decode(self.devtools("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]))
        return path

    def look(self, size, is_dark):
        """Another size of the window, and another scheme of colors."""
        self.size = size
        self.resize(size[1])
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def processor_time(self):
        """The seconds of processor time that each kind of the browser's processes has used, as the kernel counts them."""
        parents, times = {}, {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                text = (folder / "stat").read_text()
                fields = text.rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            # Some processes write their arguments anew, with spaces.
            kind = re.split(r"[\0 ]", command.partition("--type=")[2])[0] or "browser"
            parents[int(folder.name)] = int(fields[1])
            times[int(folder.name)] = kind, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        result = collections.Counter()
        for process, (kind, seconds) in times.items():
            ancestor = process
            while ancestor in parents and ancestor != self.driver.service.process.pid:
                ancestor = parents[ancestor]
            if ancestor == self.driver.service.process.pid and process != ancestor:
                result[kind] += seconds
        return result

    def memory(self):
        """The bytes of the page's objects, and the number of its nodes, after the garbage is collected."""
        self.devtools("HeapProfiler.collectGarbage")
        self.devtools("Performance.enable")
        metrics = {one["name"]: one["value"] for one in self.devtools("Performance.getMetrics")["metrics"]}
        return metrics["JSHeapUsedSize"], metrics["Nodes"]

    def complaints(self):
        """What the page or the browser finds wrong, since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self):
        """The rules of accessibility that the page breaks now, each with the first element that does."""
        self.driver.execute_script(AXE.read_text() + "; window.axe = axe;")
        script = "const done = arguments[0]; axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)))"
        return self.driver.execute_async_script(script)

    def nameless(self):
        """Controls that assistive technology has no name for."""
        self.devtools("Accessibility.enable")
        roles = {"button", "textbox", "searchbox", "checkbox", "combobox", "spinbutton", "link", "DisclosureTriangle", "image", "img"}
        result = []
        for node in self.devtools("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if role in roles and not node.get("ignored") and not node.get("name", {}).get("value"):
                result.append(role)
        return result
