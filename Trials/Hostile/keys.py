# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The keys of a run, and tokens that they sign."""

import base64
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from joserfc import jws
from joserfc.jwk import ECKey

VEHICLE = "van"
ROLES = ("observer", "specialist", "engineer")


class Keys:
    def __init__(self):
        self.trusted = {role: ECKey.generate_key("P-256") for role in ROLES}
        # One that nobody trusts.
        self.stranger = ECKey.generate_key("P-256")

    def key_set(self):
        """What the agent trusts."""
        keys = [
            {"kid": role, "roles": [role]} | key.as_dict(private=False) for role, key in self.trusted.items()
        ]
        return json.dumps({"keys": keys})

    def sign(self, claims, role="engineer", key=None, **header):
        """A compact JWS; claims are members, or bytes as they are."""
        payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
        names = {"alg": "ES256", "kid": role} | header
        text = jws.serialize_compact(names, payload, key or self.trusted[role], algorithms=["ES256"])
        return text.encode()


    @staticmethod
    def signature(text, key):
        """The signature of a text, whatever it is."""
        numbers = utils.decode_dss_signature(key.private_key.sign(text, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(32, "big") for number in numbers)


def claims(identifier, now, command, arguments, role="engineer", /, **others):
    """What a command says that lives for an hour; a claim that is None is left out."""
    all_claims = {"iss": role, "aud": VEHICLE, "jti": identifier, "iat": int(now) - 1, "exp": int(now) + 3600}
    all_claims |= {"command": command, "arguments": arguments} | others
    return {name: value for name, value in all_claims.items() if value is not None}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def decoded(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
