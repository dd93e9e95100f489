# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Messages that must not be obeyed, of every kind that a broker, or whoever gets at one, can make."""

import collections
import datetime
import hashlib
import hmac
import json
import time

import orders
from keys import VEHICLE, claims, decoded, encoded

# The order of P-256.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class Forger:
    """Makes them. What trusted keys sign may not come too often, so after a while the same is sent again."""

    def __init__(self, keys, dice, signed_limit, is_reading_free):
        self.keys = keys
        self.dice = dice
        self.signed_limit = signed_limit
        # Whether who does not sign may read.
        self.is_reading_free = is_reading_free
        self.number = 0
        self.signed = collections.defaultdict(list)
        self.sent = collections.Counter()
        # Commands that were obeyed already, by their ids: the text, and who has signed.
        self.done = []
        # Well signed, and never delivered as they are.
        self.originals = [self.keys.sign(self.fresh()) for _ in range(64)]
        self.kinds = {
            "bits altered": (self.altered, 24), "claims swapped": (self.swapped, 8), "header forged": (self.header, 14),
            "signature forged": (self.signature, 8), "another's key": (self.stranger, 8), "claims": (self.claims, 6),
            "times, audience, role": (self.untimely, 6), "unsigned": (self.unsigned, 8), "random": (self.noise, 8),
            "large or deep": (self.large, 1), "replayed": (self.replayed, 9), "id used again": (self.reused, 3),
            "retained": (self.retained, 3),
        }
        if is_reading_free:
            self.kinds["unsigned, allowed"] = (self.reading, 3)

    def make(self):
        """Payload and how to deliver it."""
        name = self.dice.choices(list(self.kinds), [weight for _, weight in self.kinds.values()])[0]
        made = self.kinds[name][0]()
        payload, how = made if isinstance(made, tuple) else (made, {})
        self.sent[name] += 1
        if "qos" not in how:
            how["qos"] = self.dice.choice((0, 1, 1, 1))
        return payload, how

    def fresh(self, role="engineer", **others):
        self.number += 1
        name, arguments = orders.forged(self.number, self.dice)
        return claims(f"forged-{self.number}", time.time(), name, arguments, role, **others)

    # What nobody has signed.

    def altered(self):
        """Some bits of a signed command are others, in its bytes or in its letters."""
        parts = self.dice.choice(self.originals).split(b".")
        index = self.dice.randrange(3)
        if self.dice.random() < 0.5:
            data = bytearray(decoded(parts[index]))
            for _ in range(self.dice.choice((1, 1, 1, 2, 8))):
                data[self.dice.randrange(len(data))] ^= 1 << self.dice.randrange(8)
            if bytes(data) == decoded(parts[index]):
                data.append(0)
            parts[index] = encoded(bytes(data))
        else:
            text = parts[index]
            place = self.dice.randrange(len(text))
            letter = self.dice.choice([other for other in LETTERS if other != text[place]])
            ways = [
                text[:place] + bytes([letter]) + text[place + 1 :], text[:place], text[:place] + text[place + 1 :],
                text[:place] + bytes([letter]) + text[place:], text + b"=", text + b"==", b"",
                text[:place] + b"\n" + text[place:], text[:place] + b"." + text[place:],
            ]
            parts[index] = self.dice.choice(ways)
        return b".".join(parts)

    def swapped(self):
        """The signature of one command below the claims of another."""
        head, _, signature = self.dice.choice(self.originals).split(b".")
        return b".".join((head, encoded(json.dumps(self.fresh()).encode()), signature))

    def header(self):
        """A header that would have the agent verify otherwise, or not at all."""
        jwk = self.keys.trusted["engineer"].as_dict(private=False)
        own = self.keys.stranger.as_dict(private=False)
        forged = [
            {"alg": "none"}, {"alg": "None"}, {"alg": "nOnE"}, {"alg": ""}, {"alg": None}, {}, {"alg": "HS256"},
            {"alg": "ES384"}, {"alg": "ES256K"}, {"alg": "RS256"}, {"alg": "EdDSA"}, {"alg": ["ES256"]},
            {"alg": "ES256", "jwk": own},
            {"alg": "ES256", "jku": "http://127.0.0.1/keys"}, {"alg": "ES256", "x5c": ["AAAA"]},
            {"alg": "ES256", "x5u": "http://127.0.0.1/"}, {"alg": "ES256", "b64": False, "crit": ["b64"]},
            {"alg": "ES256", "crit": []}, {"alg": "ES256", "kid": ""}, {"alg": "ES256", "kid": None},
            {"alg": "ES256", "kid": ["engineer"]}, {"alg": "ES256", "kid": "../engineer"},
            {"alg": "ES256", "kid": "' OR 1=1 --"},
            {"alg": "ES256", "kid": "engineer\u0000"}, {"alg": "ES256", "kid": "Engineer"},
        ]
        header = {"kid": "engineer", "typ": "JWT"} | self.dice.choice(forged)
        body = encoded(json.dumps(header).encode()) + b"." + encoded(json.dumps(self.fresh()).encode())
        if header.get("alg") == "HS256":
            # What is public of the key, taken for a secret.
            x, y = decoded(jwk["x"].encode()), decoded(jwk["y"].encode())
            pem = self.keys.trusted["engineer"].as_pem(private=False)
            secret = self.dice.choice((x, x + y, b"\x04" + x + y, json.dumps(jwk).encode(), pem, b""))
            return body + b"." + encoded(hmac.digest(secret, body, hashlib.sha256))
        if "ES256" in str(header.get("alg")) and self.dice.random() < 0.7:
            # Signed in due form, by a key that nobody trusts.
            return body + b"." + encoded(self.keys.signature(body, self.keys.stranger))
        return body + b"." + self.dice.choice((b"", encoded(self.dice.randbytes(64)), encoded(bytes(64))))

    def signature(self):
        """Numbers that careless arithmetic takes for a signature, and forms that it is not in."""
        head, payload, _ = self.dice.choice(self.originals).split(b".")
        numbers = (0, 1, ORDER - 1, ORDER, ORDER + 1, (1 << 256) - 1)
        pair = [self.dice.choice(numbers).to_bytes(32, "big") for _ in range(2)]
        ways = [b"".join(pair), bytes(63), bytes(65), b"", pair[0], bytes(128)]
        ways += [bytes.fromhex("3006020100020100"), self.dice.randbytes(64)]
        return b".".join((head, payload, encoded(self.dice.choice(ways))))

    def stranger(self):
        """Signed in due form by a key that nobody trusts, or by one that is not whose it says."""
        if self.dice.random() < 0.6:
            return self.keys.sign(self.fresh(), key=self.keys.stranger)
        role = self.dice.choice(("observer", "specialist"))
        if self.dice.random() < 0.5:
            return self.keys.sign(self.fresh(), key=self.keys.trusted[role])
        # The key's own name, and another issuer.
        return self.keys.sign(self.fresh(), role)

    def unsigned(self):
        """Commands of those who may not ask for them."""
        self.number += 1
        name, arguments = orders.forged(self.number, self.dice)
        if not self.is_reading_free and self.dice.random() < 0.3:
            name, arguments = self.dice.choice(("read_codes", "describe", "read_monitors")), {}
        others = ({}, {}, {"vehicle": VEHICLE}, {"iss": "engineer"}, {"role": "engineer"}, {"signer": "engineer"})
        text = self.plain(name, arguments, **self.dice.choice(others))
        return self.dice.choice((text, text, " " + text, text + "\n", text[:-1], text + text, f"[{text}]")).encode()

    def reading(self):
        """What anybody may ask for, which takes the bus for a moment."""
        self.number += 1
        return self.plain(self.dice.choice(("read_codes", "describe")), {}).encode()

    def plain(self, name, arguments, **others):
        now = datetime.datetime.now(datetime.timezone.utc)
        command = {
            "id": f"forged-{self.number}", "command": name, "arguments": arguments, "issued_at": stamp(now),
            "expires_at": stamp(now + datetime.timedelta(hours=1)),
        }
        command |= others
        return json.dumps(command)

    def noise(self):
        """Anything."""
        length = self.dice.choice((0, 1, 3, 20, 200, 2000))
        ways = [
            lambda: self.dice.randbytes(length),
            lambda: bytes(self.dice.choice(LETTERS + b"{}[]\",:.") for _ in range(length)),
            lambda: b".".join(encoded(self.dice.randbytes(length % 64)) for _ in range(self.dice.randrange(7))),
            lambda: self.spoiled(self.unsigned()),
            lambda: self.spoiled(json.dumps(self.fresh()).encode()),
            lambda: json.dumps({"payload": "e30", "signatures": [{"protected": "e30", "signature": ""}]}).encode(),
            lambda: b"\xef\xbb\xbf" + self.unsigned(),
            lambda: b"null",
        ]
        return self.dice.choice(ways)()

    def spoiled(self, text):
        data = bytearray(text or b"{}")
        for _ in range(self.dice.randrange(1, 9)):
            place = self.dice.randrange(len(data))
            data[place : place + self.dice.randrange(3)] = self.dice.randbytes(self.dice.randrange(3))
            data = data or bytearray(b"{")
        return bytes(data)

    def large(self):
        """More, or deeper, than anybody means."""
        size = self.dice.choice((65_000, 65_536, 65_537, 200_000, 300_000))
        ways = [
            lambda: b"[" * size, lambda: b'{"a":' * (size // 5), lambda: b"a" * size, lambda: b"." * size,
            lambda: b"eyJ" + b"A" * size + b".e30.AAAA", lambda: b'{"id": "' + b"x" * size + b'"}',
            lambda: b'{"id": ' + b"9" * size + b"}",
            lambda: self.keys.sign(b"[" * min(size, 40_000)),
            lambda: self.keys.sign(json.dumps(self.fresh()).encode()[:-1] + b', "deep": ' + b"[" * 30_000 + b"}"),
            lambda: self.keys.sign(self.fresh(nonce="n" * 45_000), key=self.keys.stranger),
        ]
        return self.dice.choice(ways)()

    # What trusted keys have signed.

    def claims(self):
        """Claims that are none, signed by an engineer."""
        now = int(time.time())
        wrong = [
            {"aud": None}, {"aud": []}, {"aud": [f"van-{number}" for number in range(16)] + [VEHICLE]}, {"aud": 7},
            {"aud": [VEHICLE, 7]}, {"exp": None}, {"iat": None}, {"exp": now - 10}, {"exp": "never"}, {"exp": 1e300},
            {"iat": 10**30}, {"iat": -1.5, "exp": None}, {"exp": now + 3600, "iat": now + 3600}, {"jti": None},
            {"jti": ""}, {"jti": "x" * 65}, {"jti": "forged 1"}, {"jti": 7}, {"iss": None}, {"iss": "specialist"},
            {"iss": "engineer "}, {"nbf": now}, {"vehicle": VEHICLE}, {"command": None}, {"command": "clear_code"},
            {"command": "clear_codes\u0000"}, {"arguments": []}, {"arguments": {"confirm": True}},
            {"arguments": {"test": "01", "data": "F0"}, "command": "clear_codes"},
            {"arguments": {"requests": ["1101"]}, "command": "raw_request"},
            {"arguments": {"requests": ["04\r04"]}, "command": "raw_request"},
            {"arguments": {"requests": ["2701"]}, "command": "raw_request"},
        ]
        return self.keys.sign(self.fresh(**self.dice.choice(wrong)))

    def untimely(self):
        """Well-formed, and refused all the same; each has its place in the agent's journal."""
        now = int(time.time())
        others = ("car", ["car", "Van", "van "], "obd/van")
        ways = {
            "expired": lambda: self.keys.sign(self.fresh(iat=now - 600, exp=now - 10)),
            "future": lambda: self.keys.sign(self.fresh(iat=now + 21_600, exp=now + 25_200)),
            "too long": lambda: self.keys.sign(self.fresh(iat=now, exp=now + 86_402)),
            "audience": lambda: self.keys.sign(self.fresh(aud=self.dice.choice(others))),
            "observer": lambda: self.keys.sign(self.fresh("observer"), "observer"),
            "specialist": lambda: self.keys.sign(self.engineers_only(), "specialist"),
        }
        return self.limited(self.dice.choice(list(ways)), ways)

    def engineers_only(self):
        self.number += 1
        name, arguments = orders.numbered(orders.FORGED, self.number, self.dice)
        return claims(f"forged-{self.number}", time.time(), name, arguments, "specialist")

    def retained(self):
        """Right in everything, but out of the broker's memory."""
        return self.limited("retained", {"retained": lambda: self.keys.sign(self.fresh())}), {"retain": True}

    def limited(self, name, ways):
        """A new one while there may be; then one of before."""
        pool = self.signed[name]
        if len(pool) < self.signed_limit // 7:
            pool.append(ways[name]())
            return pool[-1]
        return self.dice.choice(pool)

    # What was obeyed before.

    def replayed(self):
        """A command that was obeyed already: as it was, with other flags, or with the other signature of the same."""
        if not self.done:
            return self.noise()
        _, _, text = self.dice.choice(self.done)
        if self.dice.random() < 0.2:
            text = mirrored(text)
        qos, copies = self.dice.choice((0, 1, 1, 1)), self.dice.choice((1, 1, 2))
        return text, {"qos": qos, "copies": copies, "retain": self.dice.random() < 0.2}

    def reused(self):
        """The id of a command that was obeyed, with other contents, by the same."""
        if not self.done:
            return self.noise()
        identifier, role, _ = self.dice.choice(self.done)
        return self.keys.sign(self.fresh(role, jti=identifier), role)


def mirrored(token):
    """The other signature that goes with the same text: n - s is as good as s."""
    head, payload, signature = token.split(b".")
    raw = decoded(signature)
    other = ORDER - int.from_bytes(raw[32:], "big")
    return b".".join((head, payload, encoded(raw[:32] + other.to_bytes(32, "big"))))


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
