# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""M6: brokers with certificates and set-ups of TLS of every kind. Only the right ones may be talked to."""

import asyncio
import contextlib
import datetime
import ipaddress
import ssl

import mqtt
from broker import packet
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from victim import Victim, until

DAY = datetime.timedelta(days=1)
DNS, IP = x509.DNSName, lambda text: x509.IPAddress(ipaddress.ip_address(text))


class Authority:
    def __init__(self, name, parent=None, is_authority=True, key=None, permitted=None):
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = start(self.name, (parent or self).name, self.key)
        builder = builder.add_extension(x509.BasicConstraints(is_authority, None), True)
        if permitted:
            builder = builder.add_extension(x509.NameConstraints([DNS(permitted)], None), True)
        self.certificate = builder.sign((parent or self).key, hashes.SHA256())

    def issue(
        self,
        names=(DNS("localhost"),),
        common="localhost",
        begins=-DAY,
        ends=30 * DAY,
        key=None,
        usage=ExtendedKeyUsageOID.SERVER_AUTH,
    ):
        key = key or ec.generate_private_key(ec.SECP256R1())
        builder = start(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)] if common else []), self.name, key, begins, ends
        )
        builder = builder.add_extension(x509.BasicConstraints(False, None), True)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        if usage:
            builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), False)
        return builder.sign(self.key, hashes.SHA256()), key


def start(name, issuer, key, begins=-DAY, ends=30 * DAY):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
    return builder.serial_number(x509.random_serial_number()).not_valid_before(now + begins).not_valid_after(now + ends)


def setups():
    """The attempts: name, certificate and key, rest of the chain, protocol limits, host, whether it is right."""
    root = Authority("Root")
    other = Authority("Root")
    middle = Authority("Middle", root)
    no_authority = Authority("No authority", root, is_authority=False)
    elsewhere = Authority("Elsewhere", root, permitted="example.org")
    own_key = ec.generate_private_key(ec.SECP256R1())
    own = Authority("localhost", key=own_key, is_authority=False)
    good = root.issue()
    modern, old = {}, {"maximum_version": ssl.TLSVersion.TLSv1_1, "minimum_version": ssl.TLSVersion.TLSv1}
    return root, [
        ("a right certificate: the control", good, [], modern, "localhost", True),
        ("the same by an address", root.issue([IP("127.0.0.1")], "x"), [], modern, "127.0.0.1", True),
        ("one by an authority between", middle.issue(), [middle], modern, "localhost", True),
        ("a name in CN alone", root.issue(None), [], modern, "localhost", False),
        ("an address in CN alone", root.issue(None, "127.0.0.1"), [], modern, "127.0.0.1", False),
        ("a right CN, another name beside it", root.issue([DNS("other.example")]), [], modern, "localhost", False),
        ("a right CN, another address beside it", root.issue([IP("10.0.0.1")]), [], modern, "localhost", False),
        ("the name *.localhost", root.issue([DNS("*.localhost")], "x"), [], modern, "localhost", False),
        ("the name *", root.issue([DNS("*")], "x"), [], modern, "localhost", False),
        ("the name l*t", root.issue([DNS("l*t")], "x"), [], modern, "localhost", False),
        ("*.localhost in CN", root.issue(None, "*.localhost"), [], modern, "localhost", False),
        ("localhost.example", root.issue([DNS("localhost.example")], "x"), [], modern, "localhost", False),
        (
            "a name with a null byte behind",
            root.issue([DNS("localhost\0.example")], "x"),
            [],
            modern,
            "localhost",
            False,
        ),
        ("the address as a name", root.issue([DNS("127.0.0.1")], "x"), [], modern, "127.0.0.1", False),
        ("another address", root.issue([IP("127.0.0.2")], "x"), [], modern, "127.0.0.1", False),
        ("the name for the address", good, [], modern, "127.0.0.1", False),
        ("expired yesterday", root.issue(begins=-3 * DAY, ends=-DAY), [], modern, "localhost", False),
        ("not valid yet", root.issue(begins=DAY, ends=3 * DAY), [], modern, "localhost", False),
        ("for clients only", root.issue(usage=ExtendedKeyUsageOID.CLIENT_AUTH), [], modern, "localhost", False),
        ("by another authority of the same name", other.issue(), [other], modern, "localhost", False),
        ("by itself", (own.certificate, own_key), [], modern, "localhost", False),
        ("by an authority between that is left out", middle.issue(), [], modern, "localhost", False),
        ("by what is no authority", no_authority.issue(), [no_authority], modern, "localhost", False),
        ("by an authority for other names", elsewhere.issue(), [elsewhere], modern, "localhost", False),
        ("a key of 1024 bits", root.issue(key=rsa.generate_private_key(65537, 1024)), [], modern, "localhost", False),
        ("TLS 1.1 at most", good, [], old, "localhost", False),
        ("no TLS at all", None, [], modern, "localhost", False),
        ("silence instead of TLS", "silence", [], modern, "localhost", False),
    ]


class Server:
    """Takes connections with TLS, and tells whether a CONNECT came."""

    def __init__(self, directory, number, pair, chain, limits):
        self.context = None
        self.is_silent = pair == "silence"
        self.was_asked = False
        if isinstance(pair, tuple):
            path = directory / f"{number}.pem"
            certificates = [pair[0], *(one.certificate for one in chain)]
            path.write_bytes(
                pair[1].private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
                + b"".join(one.public_bytes(serialization.Encoding.PEM) for one in certificates)
            )
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.set_ciphers("ALL:@SECLEVEL=0")
            for name, value in limits.items():
                setattr(self.context, name, value)
            self.context.load_cert_chain(path)

    async def start(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context)
        return server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        with contextlib.suppress(ConnectionError, OSError):
            while data := await reader.read(65536):
                if not self.is_silent and b"MQTT" in data:
                    self.was_asked = True
                    writer.write(packet(mqtt.CONNACK, 0, b"\x00\x00\x00"))
        writer.close()


async def play(arena):
    root, tried = setups()
    authorities = arena.directory / "root.pem"
    authorities.write_bytes(root.certificate.public_bytes(serialization.Encoding.PEM))
    limit = asyncio.Semaphore(4)

    async def attack(number, setup):
        name, pair, chain, limits, host, is_right = setup
        server = Server(arena.directory, number, pair, chain, limits)
        port = await server.start()
        words = [
            "list",
            "--broker",
            f"mqtts://{host}:{port}",
            "--ca-file",
            str(authorities),
            "--timeout",
            "4s",
        ]
        async with limit:
            process = await asyncio.create_subprocess_exec(
                arena.remote,
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(30):
                _, said = await process.communicate()
        return name, is_right, server.was_asked, process.returncode, said

    results = await asyncio.gather(*(attack(number, setup) for number, setup in enumerate(tried)))
    for name, is_right, was_asked, status, _ in results:
        arena.row(
            "M6",
            f"TLS: {name}",
            "MQTT is spoken" if is_right else "no byte of MQTT; an error with an exit status",
            f"{'MQTT is spoken' if was_asked else 'nothing is said'}; exit status {status}",
            was_asked == is_right and (is_right or status in (69, 75, 77, 78)),
        )
    await agent(arena, root, authorities)


async def agent(arena, root, authorities):
    """The running agent does as the commands do."""
    for number, (name, pair, is_right) in enumerate(
        [("a name in CN alone", root.issue(None), False), ("a right certificate", root.issue(), True)]
    ):
        victim = Victim(arena, f"agent-{number}", mqtt=[f'ca_file = "{authorities}"'])
        server = Server(arena.directory, f"agent-{number}", pair, [], {})
        victim.url = f"mqtts://localhost:{await server.start()}"
        async with asyncio.timeout(40):
            await victim.broker.start()
            async with victim:
                was_asked = await until(lambda: server.was_asked, 6)
        arena.row(
            "M6",
            f"TLS, the agent: {name}",
            "MQTT is spoken" if is_right else "no byte of MQTT",
            "MQTT is spoken" if was_asked else "nothing is said",
            was_asked == is_right,
        )
