# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What many run today: python-OBD reads, paho-mqtt publishes, one message a value; nothing is recorded.
Usage: python_obd.py SERIAL-DEVICE BROKER-PORT"""

import signal
import sys

import obd
import paho.mqtt.client as mqtt

from parameters import NAMES


def main():
    device, port = sys.argv[1], int(sys.argv[2])
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()

    def publish(name):
        def told(response):
            if not response.is_null():
                client.publish(f"peer/{name}", str(response.value.magnitude))

        return told

    connection = obd.Async(device, baudrate=115200, fast=True)
    for pid, name in NAMES.items():
        connection.watch(obd.commands[1][pid], callback=publish(name))
    connection.start()
    signal.sigwait({signal.SIGTERM})
    connection.close()


if __name__ == "__main__":
    # Before any thread is, so that all of them leave the signal to the wait for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    main()
