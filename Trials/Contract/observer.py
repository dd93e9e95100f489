# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A subscriber that keeps everything, with paho-mqtt, as others write one."""

import json

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions


class Observer:
    def __init__(self, port):
        self.messages = []
        styles = getattr(mqtt, "CallbackAPIVersion", None)
        self.client = mqtt.Client(*([styles.VERSION2] if styles else []), protocol=mqtt.MQTTv5)
        self.client.on_message = lambda client, userdata, message: self.messages.append(message)
        # As it was published, not as it is kept.
        how = SubscribeOptions(qos=2, retainAsPublished=True)
        self.client.on_connect = lambda client, *_: client.subscribe("obd/#", options=how)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()

    def publish(self, topic, command, response=None):
        properties = Properties(PacketTypes.PUBLISH)
        if response:
            properties.ResponseTopic = response
        self.client.publish(topic, json.dumps(command), qos=1, properties=properties)

    def press(self, topic, text):
        self.client.publish(topic, text, qos=1)

    def answer(self, identity):
        """The last answer to a command of this id, or whose id is as this function says, once there is one."""
        is_meant = identity if callable(identity) else lambda other: other == identity
        for message in list(self.messages):
            if message.topic.endswith("/responses"):
                answer = json.loads(message.payload)
                if is_meant(answer["id"]) and answer["state"] in ("succeeded", "failed", "refused"):
                    return answer
        return None
