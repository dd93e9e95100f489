# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Certificates of every kind for brokers and clients."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)
LOCAL = (x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")))


class Authority:
    def __init__(self, name):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = begin(self.name, self.name, self.key, -DAY, 30 * DAY)
        builder = builder.add_extension(x509.BasicConstraints(True, None), True)
        self.certificate = builder.sign(self.key, hashes.SHA256())

    def write(self, path):
        path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        return str(path)

    def issue(self, folder, name, names=LOCAL, begins=-DAY, ends=30 * DAY):
        """Writes a certificate and its key; returns the paths of both."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = begin(subject, self.name, key, begins, ends)
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        return write_pair(folder, name, builder.sign(self.key, hashes.SHA256()), key)


def self_signed(folder, name):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = begin(subject, subject, key, -DAY, 30 * DAY)
    builder = builder.add_extension(x509.SubjectAlternativeName(LOCAL), False)
    return write_pair(folder, name, builder.sign(key, hashes.SHA256()), key)


def begin(subject, issuer, key, begins, ends):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    return builder.serial_number(x509.random_serial_number()).not_valid_before(now + begins).not_valid_after(now + ends)


def write_pair(folder, name, certificate, key):
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return tuple(str(path) for path in paths)
