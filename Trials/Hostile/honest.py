# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""An honest engineer, who sends a command again under the same id until it is answered for good."""

import collections
import dataclasses
import json
import time

import orders
from keys import claims

# Refused without a look at the vehicle: it may be asked for anew, under another id.
ASK_ANEW = {"not_connected", "wrong_vehicle", "no_room"}
# Not looked at at all: it is sent again under the same id.
LATER = {"busy", "rate_limited"}
# How long it is waited before that, in seconds; and for an answer, before the same is sent again.
ANEW, AGAIN = 0.5, 3


@dataclasses.dataclass
class Order:
    number: int
    identifier: str
    role: str
    text: bytes
    sent: float = 0
    deliveries: int = 0
    state: str = ""
    reason: str = ""

    @property
    def is_final(self):
        return self.state in ("succeeded", "failed", "refused")


class Honest:
    def __init__(self, keys, dice, forger):
        self.keys = keys
        self.dice = dice
        self.forger = forger
        self.orders = {}
        # Those that were sent and have no last answer yet.
        self.open = {}
        self.made = 0
        self.answers = collections.Counter()
        self.problems = []
        self.asked_anew = 0
        # When to send what is asked for anew.
        self.due = []

    def new(self, number=None, clears=False):
        if number is None:
            self.made += 1
            number = self.made
        identifier, role = f"honest-{number}-{len(self.orders)}", "specialist" if clears else "engineer"
        name, arguments = orders.numbered(orders.HONEST, number, self.dice)
        if clears:
            name, arguments, number = "clear_codes", {"confirm": "all"}, 0
        text = self.keys.sign(claims(identifier, time.time(), name, arguments, role), role)
        order = Order(number, identifier, role, text)
        self.orders[identifier] = order
        return order

    @property
    def is_waiting(self):
        return bool(self.open or self.due)

    def deliver(self, broker, order):
        order.sent = time.monotonic()
        order.deliveries += 1
        if not order.is_final:
            self.open[order.identifier] = order
        broker.deliver(order.text, copies=self.dice.choice((1, 1, 2, 3)))

    def deliver_what_is_due(self, broker):
        """Sends again what was not answered for long, and what is asked for anew."""
        now = time.monotonic()
        for order in list(self.open.values()):
            if now - order.sent > AGAIN:
                self.deliver(broker, order)
        while self.due and self.due[0][0] <= now:
            self.deliver(broker, self.due.pop(0)[1])

    def answered(self, payload):
        """A response came."""
        answer = json.loads(payload)
        self.answers[answer["state"], answer["reason"], bool(answer.get("repeat"))] += 1
        order = self.orders.get(answer["id"])
        # Whoever gets at the broker uses ids of others; that is told apart by who has signed.
        if not order or answer["issuer"] != order.role or order.is_final or answer["reason"] in LATER:
            return
        order.state, order.reason = answer["state"], answer["reason"]
        if not order.is_final:
            return
        del self.open[order.identifier]
        if order.state == "refused" and order.reason in ASK_ANEW:
            self.asked_anew += 1
            anew = self.new(order.number, clears=order.role == "specialist")
            self.due.append((time.monotonic() + ANEW, anew))
        elif order.state == "succeeded":
            self.forger.done.append((order.identifier, order.role, order.text))
        elif order.reason != "interrupted":
            self.problems.append(f"{order.identifier} {order.state}: {order.reason}: {answer.get('message')}")
