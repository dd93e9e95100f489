# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Brokers, networks, agents and adapters that are lost and come back."""

import signal
import time

from browser import Browser, PHONE
from scene import PICTURES, Scene, UNRECORDED
from stage import free_port, until


class LossesTests(Scene):
    def test_lost_broker_comes_back(self):
        ports = free_port(), free_port()
        program = self.stage.broker_at("returning", ports)
        _, agent, _ = self.stage.vehicle("away", ports[0], "--seed", "3", "--trip", "600", uplink=UNRECORDED)
        with Browser(f"http://127.0.0.1:{ports[1]}/") as browser:
            browser.use("Connect")
            browser.await_text(".tiles", "rpm")
            browser.await_text(".who", "Vehicle: in use")
            self.assertEqual(self.ages(browser), {"live"})
            time.sleep(3)
            program.kill()
            program.wait(10)
            browser.await_text(".connection", "The connection was lost at")
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
            until(lambda: self.trace(browser)[-1][1] < end - 20, "the plot's end, which moves away")
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: not sent: there is no connection to the broker")
            self.assertEqual(browser.violations(), [])
            browser.picture(PICTURES / "lost.png")
            self.stage.broker_at("returning-again", ports)
            browser.await_text(".connection", "Connected to", 60)
            until(lambda: self.ages(browser) == {"live"}, "live values", 60)
            # The loss lasted longer, because the plot's end has moved by more than that.
            until(lambda: max(self.gaps(browser), default=0) > 3, "another line, after a gap")
            browser.use("Read codes")
            browser.await_text(".live", "Read codes: done", 60)
            # An agent that ends sends its last record, which has what was measured meanwhile.
            agent.terminate()
            until(lambda: max(self.gaps(browser), default=0) < 2, "recorded samples in the gap")

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
            browser.await_text(".live", "Read codes: the connection was lost while it was being sent, so the vehicle may or may not have it", 40)
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
