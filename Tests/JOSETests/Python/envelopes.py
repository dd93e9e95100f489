# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Makes and verifies signed messages with joserfc, which shares no code with libcjose.

envelopes.py verify JWKS TOKENS   prints for each line with a token its payload in hexadecimal, or "refused"
envelopes.py make COUNT           prints a JWKS, then COUNT lines, each with a token and its payload in hexadecimal
envelopes.py forge JWK LINES      prints a token for each line with the way to sign, the secret, the header, the payload
envelopes.py thumbprints JWKS     prints the thumbprint of each key
"""
import hashlib
import hmac
import json
import pathlib
import random
import sys

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet
from joserfc.util import urlsafe_b64encode

ALGORITHMS = ["ES256"]


def verify(keys, tokens):
    trusted = KeySet.import_key_set(json.loads(pathlib.Path(keys).read_text()))
    for token in pathlib.Path(tokens).read_text().split():
        try:
            print(jws.deserialize_compact(token, trusted, algorithms=ALGORITHMS).payload.hex())
        except JoseError:
            print("refused")


def make(count):
    numbers = random.Random(1)
    keys = [ECKey.generate_key("P-256", {"kid": f"theirs-{number}"}, private=True) for number in range(4)]
    print(json.dumps(KeySet(keys).as_dict(private=False)))
    for _ in range(int(count)):
        key = numbers.choice(keys)
        payload = numbers.randbytes(numbers.randint(1, 2000))
        header = {"typ": "test", "alg": "ES256", "kid": key.kid}
        print(jws.serialize_compact(header, payload, key, algorithms=ALGORITHMS), payload.hex())


def forge(jwk, lines):
    private = ECKey.import_key(json.loads(pathlib.Path(jwk).read_text())).private_key
    for line in pathlib.Path(lines).read_text().splitlines():
        way, *parts = line.split(" ")
        secret, header, payload = (bytes.fromhex(part) for part in parts)
        message = urlsafe_b64encode(header) + b"." + urlsafe_b64encode(payload)
        if way == "hmac":
            signature = hmac.new(secret, message, hashlib.sha256).digest()
        else:
            signature = private.sign(message, ECDSA(SHA256()))
            if way == "raw":
                r, s = decode_dss_signature(signature)
                signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        print((message + b"." + urlsafe_b64encode(signature)).decode())


def thumbprints(keys):
    for key in json.loads(pathlib.Path(keys).read_text())["keys"]:
        print(ECKey.import_key(key).thumbprint())


{"verify": verify, "make": make, "forge": forge, "thumbprints": thumbprints}[sys.argv[1]](*sys.argv[2:])
