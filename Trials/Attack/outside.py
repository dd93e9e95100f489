# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The surroundings of the command-line tools: a real Mosquitto, and the check of their output."""

import os
import socket
import subprocess
import time
import unicodedata

import paho.mqtt.client as mqtt
from programs import Program, broker_words, free_port


class Mosquitto:
    """A broker that is used from a thread."""

    def __init__(self, directory, name="mosquitto", extra=""):
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        path = directory / f"{name}.conf"
        path.write_text(broker_words(self.port) + "max_queued_messages 0\nmax_inflight_messages 0\n" + extra)
        self.log = directory / f"{name}.log"
        self.program = Program(["mosquitto", "-c", str(path), "-v"], str(self.log))
        self.clients = []

    def __enter__(self):
        self.program.start()
        until(lambda: answers(self.port), 10, "the broker")
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.disconnect()
            client.loop_stop()
        self.program.kill()

    def client(self, topic=None, heard=None):
        """Someone else at the broker, who may listen to a topic."""
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        client.max_queued_messages_set(0)
        client.on_message = lambda _, __, message: heard.append(message)
        client.connect("127.0.0.1", self.port)
        if topic:
            client.subscribe(topic, qos=1)
        client.loop_start()
        self.clients.append(client)
        return client

    @staticmethod
    def settle(client):
        """Waits until all that was published is at the broker."""
        client.publish("settled", b"", qos=1).wait_for_publish(30)


class Car:
    """A simulated vehicle that drives, for a thread; `adapter` is what an agent has as its address."""

    def __init__(self, arena, log):
        self.port = free_port()
        self.adapter = f"tcp:127.0.0.1:{self.port}"
        self.program = Program([arena.simulator, "--tcp", f"127.0.0.1:{self.port}", "--trip", "86400"], str(log))

    def __enter__(self):
        self.program.start()
        until(lambda: answers(self.port), 10, "the simulated vehicle")
        return self

    def __exit__(self, *_):
        self.program.kill()


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def printable(data, allowed="\n\t"):
    """The dangerous characters in a program's output, as code points; empty if there are none."""
    text = data.decode("utf-8", "surrogateescape")
    odd = {
        letter
        for letter in text
        if letter not in allowed and (unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp"))
    }
    return ", ".join(sorted(f"U+{ord(letter):04X}" for letter in odd))


def until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)
    return result


def run(words, seconds=30, **others):
    """Runs a command-line tool. Returns its exit status (None after a timeout), its output and its run time."""
    began = time.monotonic()
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **others,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        status = None
    return status, output, time.monotonic() - began


def is_root():
    return os.geteuid() == 0
