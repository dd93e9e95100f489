# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Passwords, keys, other hosts, frames, and messages that are not to be trusted."""

import contextlib
import http.client
import ssl
import time

from selenium.webdriver.common.keys import Keys

from browser import Browser
from scene import MARKUP, ROOT, Scene
from stage import free_port, until


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


class SafetyTests(Scene):
    def test_no_request_leaves_the_host(self):
        browser = self.connected()
        for way in ["fetch('http://127.0.0.1:9/x')", "Promise.resolve(new WebSocket('ws://127.0.0.1:9/')).then((socket) => new Promise((_, no) => { socket.onerror = no; }))"]:
            script = f"const done = arguments[0]; try {{ {way}.then(() => done('sent'), () => done('kept')); }} catch {{ done('kept'); }}"
            self.assertEqual(browser.driver.execute_async_script(script), "kept")
        words = " ".join(browser.complaints())
        self.assertEqual(words.count("Connecting to '"), 2, words)

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
        browser.await_text(".connection", "The connection was lost")
        self.assertIsNotNone(self.stage.broker_at("after", ports, "changed"))
        browser.await_text("form [role=alert]", "The broker refused the connection")
        self.assertEqual(browser.text(".connection"), "Not connected")
        log = self.stage.directory / "after.log"
        refused = log.read_text().count("not authorised")
        time.sleep(5)
        self.assertEqual(log.read_text().count("not authorised"), refused)

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

    def test_frame_of_somebody_else(self):
        page = self.stage.directory / "frame.html"
        page.write_text(f'<iframe src="http://{self.host}/" width="900" height="900"></iframe>')
        with Browser(page.as_uri()) as browser:
            browser.driver.switch_to.frame(0)
            browser.await_text("main", "inside another page")
            self.assertEqual(browser.find("button"), [])
