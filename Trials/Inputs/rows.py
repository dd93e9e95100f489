# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The table of wrong inputs: what is typed, how it must end, and what the error must say."""

import dataclasses

from servers import CLOSING, HTTP, REFUSING, SHUTTING_DOWN, SILENT, SSH, TAKEN_OVER

USAGE, NO_INPUT, UNAVAILABLE, CANNOT_CREATE, IO_ERROR, FORBIDDEN, CONFIGURATION = 64, 66, 69, 73, 74, 77, 78
FAILED, CLOSED_PIPE = 3, 141


@dataclasses.dataclass
class Row:
    """A command line of the shell; ``AGENT`` and ``REMOTE`` are the programs, ``F`` the folder of the stage."""

    kind: str
    command: str
    status: int
    #: Words that standard error must have, in any case of letters.
    says: tuple = ()
    #: Whether standard error must be empty.
    silent: bool = False
    #: A command whose output, after the other, must be this text: what must not have changed.
    after: tuple = ()
    #: Environment variables.
    environment: dict = dataclasses.field(default_factory=dict)


def rows(stage):
    """Returns all rows for a stage."""
    return [*names(stage), *arguments(stage), *files(), *pipes(), *recordings(), *brokers(stage), *refusals(), *urls()]


def unchanged(path):
    """What a file is and has must not change."""
    return f"stat -c %F {path}; [ -f {path} ] && cat {path}", "before"


def gone(path):
    return f"[ -e {path} ] || echo gone", "gone"


def names(stage):
    adapter = f"--adapter {stage.adapter}"
    plain = f"--broker {stage.url('plain')}"
    yield Row("command", "AGENT reed", USAGE, ('"reed" is no command', "Try: obd-agent read"))
    yield Row("command", "AGENT parameters lst", USAGE, ('"lst" is no command', "Try: obd-agent parameters list"))
    yield Row("command", "AGENT dtc", USAGE, ("no command", "Try: obd-agent codes"))
    yield Row("command", "AGENT flux", USAGE, ('"flux" is no command', "obd-agent --help"))
    yield Row("command", "REMOTE wach", USAGE, ("no command", "Try: obd-remote watch"))
    yield Row("command", "REMOTE erase", USAGE, ("no command", "Try: obd-remote clear"))
    yield Row("option", f"AGENT read --adaptor {stage.adapter}", USAGE, ("--adaptor", "Did you mean '--adapter'"))
    yield Row("option", "REMOTE list --brokr x", USAGE, ("--brokr", "Did you mean '--broker'"))
    yield Row("option", "AGENT export --format xml", USAGE, ("xml", "csv", "jsonl"))
    yield Row("option", "AGENT last --units us", USAGE, ("'us'", "metric", "imperial"))
    yield Row("parameter", f"AGENT read rpm {adapter}", USAGE, ('"rpm" is no parameter', "Try: engine_speed"))
    yield Row("parameter", f"AGENT read speed {adapter}", USAGE, ("no parameter", "Try: vehicle_speed"))
    yield Row("parameter", f"AGENT read engin_speed {adapter}", USAGE, ("no parameter", "Try: engine_speed"))
    yield Row("parameter", f"AGENT read Engine-Speed {adapter}", USAGE, ("no parameter", "Try: engine_speed"))
    yield Row("parameter", f"AGENT read flux {adapter}", USAGE, ("no parameter", "Try: obd-agent parameters list"))
    yield Row("parameter", f"AGENT read boost_pressure {adapter}", FAILED, ("no ECU reports boost_pressure", "Try: "))
    yield Row("parameter", f"REMOTE read boost_pressure {plain}", FAILED, ("no ECU reports", "Try: "))
    yield Row("parameter", f"REMOTE select rpm=0.5 {plain}", USAGE, ("rpm", "nothing was sent", "engine_speed"))
    yield Row("parameter", f"REMOTE read spede {plain}", FAILED - 1, ('"spede" is no parameter', "Try: "))
    yield Row("parameter", f"REMOTE read engine_sped {plain}", USAGE, ("nothing was sent", "engine_speed", "--custom"))
    yield Row("parameter", f"REMOTE boost tps {plain}", USAGE, ("nothing was sent", "throttle_position"))
    yield Row("parameter", f"REMOTE read --custom rpm {plain}", 2, ("refused", "rpm", "Try: engine_speed"))
    yield Row("category", f"REMOTE select category:engin=1 {plain}", USAGE, ("no category", "Try: category:engine"))
    yield Row("key", "AGENT check -c F/key.toml >&2", CONFIGURATION, ("key.toml:2", "adres", "address"))
    yield Row("key", "AGENT check -c F/parameter.toml >&2", CONFIGURATION, ("rpm", "unknown parameter", "engine_speed"))
    yield Row("key", "REMOTE collect --config F/collect.toml", CONFIGURATION, ("brokr", "did you mean broker"))
    yield Row(
        "vehicle", f"REMOTE watch --vehicle ZZZSMVLATR470089 {plain}", USAGE,
        ("shows no vehicle", f"Try: --vehicle {stage.vin}"),
    )
    yield Row("vehicle", f"REMOTE watch --vehicle 4700893 {plain}", USAGE, (f"Try: --vehicle {stage.vin}",))
    yield Row(
        "vehicle", f"REMOTE codes --vehicle ZZZSMVLATR470089 {plain}", USAGE,
        ("nothing was sent", f"Try: --vehicle {stage.vin}", "--unseen"),
    )
    yield Row("vehicle", f"REMOTE codes --last --vehicle {stage.vin.lower()} {plain}", 0, ("is the VIN of",))
    yield Row(
        "vehicle", f"REMOTE codes --last --vehicle flux {plain}", USAGE, ("Known vehicles: " + stage.vin, "Try: ")
    )
    yield Row(
        "vehicle", "AGENT last -c F/agent.toml --vehicle ZZZSMVLATR4700894", NO_INPUT, (f"Try: --vehicle {stage.vin}",)
    )
    yield Row("value", "REMOTE key F/x.jwk --role root", USAGE, ("root", "observer", "specialist", "engineer"))
    yield Row("value", f"REMOTE finding x --severity urgnt {plain}", USAGE, ("urgnt", "attention", "urgent"))


def arguments(stage):
    plain = f"--broker {stage.url('plain')}"
    for words, says in [
        ("select engine_speed", ("engine_speed", "no number", "engine_speed=1")),
        ("select engine_speed 0.5", ("engine_speed", "no number")),
        ("select engine_speed=0", ("the interval of engine_speed must be 0.05s to 1d",)),
        ("select engine_speed=0,5", ('"0,5" is no number of seconds', "engine_speed=0.5")),
        ("select engine_speed=1 engine_speed=2", ("engine_speed is given twice",)),
        ("select engine_speed=1 010C=2", ("the same parameter", "Try: one of both")),
        ("select engine_speed=1 --for 2d", ("--for must be 1s to 1d",)),
        ("select --set engine_speed=1 --remove engine_speed", ("--set and in --remove",)),
        ("select", ("No parameter is given", "Try: NAME=SECONDS")),
        ("select engine_speed=1 --dead-band engine_speed=-1", ("--dead-band", "from 0")),
        ("read engine_speed=1", ("a name is expected", "Try: engine_speed")),
        ("boost engine_speed --for 1h", ("--for must be 1s to 10m, not 1h",)),
        ("wake --for 1h", ("--for must be 1s to 15m, not 1h",)),
        ("raw zz", ('"zz" is no request', "such as 22F190")),
        ("raw 1101", ("it resets the ECU",)),
        ("raw 0902 --ecu 7", ("--ecu", "such as 7E0")),
        ("raw 0902 --hold 1h", ("--hold must be",)),
        ("test 1G", ("no test", "such as 01")),
        ("test 01 --data 001122334455", ("--data", "up to")),
        ("finding x --codes P03", ("--codes", "P03", "such as P0301")),
        ("capture --after 500", ("--after must be 0 to 120",)),
        ("capture --rule a --on mil_on", ("--rule needs --for",)),
        ("codes --valid 2d", ("--valid must be 1s to 24h",)),
        ("clear", ("the question cannot be asked", "--yes")),
    ]:
        yield Row("argument", f"REMOTE {words} {plain} </dev/null", USAGE, says)
    yield Row("argument", "AGENT decode P03", USAGE, ("P03",))
    yield Row("argument", "AGENT export -c F/agent.toml --from yesterday", USAGE, ("--from", "yesterday"))
    yield Row("argument", "AGENT export --delete-after", USAGE, ("--delete-after needs --output",))
    yield Row("argument", "AGENT export --delete-after --output -", USAGE, ("--delete-after needs --output",))
    yield Row("argument", "AGENT read --adapter usb0", USAGE, ("usb0", "serial:"))
    yield Row("argument", "AGENT read --adapter tcp:127.0.0.1:1", UNAVAILABLE, ("127.0.0.1", "refused", "Try: "))
    yield Row("argument", "AGENT read --adapter serial:/dev/nothing", UNAVAILABLE, ("/dev/nothing", "Try: "))


def files():
    export = "AGENT export -c F/agent.toml"
    for kind, path, next_step in [
        ("a device", "F/null", "standard output"),
        ("a FIFO", "F/fifo", "standard output"),
        ("a symbolic link", "F/link", "standard output"),
        ("a symbolic link", "F/dangling", "standard output"),
        ("a folder", "F", "a file in it"),
    ]:
        yield Row("file", f"{export} -o {path}", CANNOT_CREATE, (kind, path, next_step), after=unchanged(path))
    yield Row("file", f"{export} -o F/nowhere/x.csv", CANNOT_CREATE, ("No such file", "make its folder first"))
    yield Row("file", f"{export} -o ''", USAGE, ("the name of the output file is empty",))
    yield Row(
        "file", "AGENT diagnose -c F/agent.toml -o F/null", CANNOT_CREATE, ("a device",), after=unchanged("F/null")
    )
    yield Row(
        "file", "AGENT diagnose -c F/agent.toml -o F/link", CANNOT_CREATE, ("a symbolic link",),
        after=unchanged("F/target"),
    )
    yield Row(
        "file", "AGENT parameters import F/set.json --force -o F/link", CANNOT_CREATE, ("a symbolic link",),
        after=unchanged("F/target"),
    )
    yield Row(
        "file", "AGENT trips -c F/agent.toml --format csv -o F/fifo", CANNOT_CREATE, ("a FIFO",),
        after=unchanged("F/fifo"),
    )
    yield Row(
        "file", "REMOTE key F/target", CANNOT_CREATE, ("exists already", "never overwritten"),
        after=unchanged("F/target"),
    )
    yield Row("file", "REMOTE key F/dangling", CANNOT_CREATE, ("a symbolic link",), after=unchanged("F/dangling"))
    yield Row("file", "REMOTE key -", USAGE, ("to a file only",))
    yield Row(
        "file", "REMOTE collect --broker mqtt://127.0.0.1 --metrics F/null", USAGE, ("a device", "--metrics"),
        after=unchanged("F/null"),
    )
    yield Row(
        "file", f"echo taken >F/x.csv.part; chmod 400 F/x.csv.part; {export} -o F/x.csv", 0, ("rows of",),
        after=gone("F/x.csv.part"),
    )
    yield Row("file", f"{export} -o - | head -c 4", 0, (), silent=True)
    yield Row("file", "AGENT replay F/nothing", NO_INPUT, ("F/nothing", "can't be read", "Try: "))
    yield Row("file", "AGENT check -c F/nothing.toml >&2", CONFIGURATION, ("nothing.toml",))
    yield Row(
        "file", "REMOTE list --broker mqtt://127.0.0.1 --username a --password-file F/nothing", CONFIGURATION,
        ("--password-file", "can't be read"),
    )
    yield Row("file", "REMOTE codes --broker mqtt://127.0.0.1 --signing-key F/target", CONFIGURATION, ("target",))


def pipes():
    for command in [
        "AGENT --help", "AGENT parameters list", "AGENT parameters list --json", "AGENT decode P0301",
        "AGENT read --adapter ADAPTER", "AGENT last -c F/agent.toml", "AGENT export -c F/agent.toml",
        "AGENT vehicles -c F/agent.toml", "AGENT check -c F/agent.toml", "AGENT --generate-completion-script bash",
        "REMOTE list --broker PLAIN", "REMOTE codes --broker PLAIN", "REMOTE read engine_speed --broker PLAIN",
        "REMOTE read engine_speed --json --broker PLAIN", "REMOTE --version",
    ]:
        yield Row(
            "full disk", f"{command} >/dev/full", IO_ERROR,
            ("standard output can't be written", "No space left", "Try: "),
        )
    for command in ["AGENT decode P0301", "REMOTE --version", "AGENT parameters list"]:
        yield Row("closed output", f"{command} >&-", IO_ERROR, ("standard output can't be written", "Try: "))
    for command in [
        "AGENT parameters list", "AGENT read --adapter ADAPTER", "AGENT export -c F/agent.toml",
        "REMOTE list --all --broker PLAIN",
    ]:
        # The pipe is closed before the program writes; with and without the signal it must end alike.
        yield Row(
            "closed pipe", f"({command}; echo $? >F/status) | true; sleep 0.1; exit $(cat F/status)", CLOSED_PIPE,
            silent=True,
        )
        yield Row(
            "closed pipe", f"trap '' PIPE; ({command}; echo $? >F/status) | true; sleep 0.1; exit $(cat F/status)",
            CLOSED_PIPE, silent=True,
        )
    yield Row("full disk", "REMOTE key F/lost.jwk >/dev/full", IO_ERROR, ("standard output",), after=gone("F/lost.jwk"))


def recordings():
    yield Row("recording", "AGENT last --directory F/nowhere", NO_INPUT, ("F/nowhere", "Try: "))
    yield Row(
        "recording", "AGENT captures 7 -c F/agent.toml", NO_INPUT, ("there is no capture 7", "Try: obd-agent captures")
    )
    yield Row("recording", "AGENT captures 0", USAGE, ("numbered from 1",))


def brokers(stage):
    ca, client = f"--ca-file {stage.files['ca']}", "--certificate-file {} --key-file {}"
    own = client.format(stage.files["client"], stage.files["client key"])
    foreign = client.format(stage.files["foreign client"], stage.files["foreign client key"])

    def row(kind, scheme, options, status, *says):
        return Row("broker", f"REMOTE list --broker {stage.url(kind, scheme)} {options}", status, says)

    yield row(
        "client", "mqtts", ca, UNAVAILABLE, "requires a certificate of this client",
        "--certificate-file and --key-file",
    )
    yield row(
        "client", "mqtts", f"{ca} {foreign}", UNAVAILABLE, "rejects this client's certificate", "--certificate-file"
    )
    yield row("client", "mqtts", f"{ca} {own}", 0)
    yield row("tls", "mqtt", "", UNAVAILABLE, "Try: mqtts://")
    yield row("plain", "mqtts", ca, UNAVAILABLE, "mqtt://")
    yield row("other host", "mqtts", ca, UNAVAILABLE, "for another host", "subject alternative names")
    yield row("expired", "mqtts", ca, UNAVAILABLE, "has expired", "a new certificate", "clock")
    yield row("future", "mqtts", ca, UNAVAILABLE, "not valid yet", "set the clock")
    yield row("self-signed", "mqtts", ca, UNAVAILABLE, "signed by itself", "--ca-file")
    yield row("tls", "mqtts", "", UNAVAILABLE, "no trusted authority", "--ca-file")
    yield row("tls", "mqtts", f"--ca-file {stage.files['stranger']}", UNAVAILABLE, "no trusted authority", "--ca-file")
    yield row("tls", "mqtts", "--ca-file F/target", CONFIGURATION, "target", "PEM")
    yield row("tls", "mqtts", "--ca-file F/nothing", CONFIGURATION, "--ca-file", "can't be read")
    yield row("tls", "mqtts", f"{ca} --certificate-file {stage.files['client']}", USAGE, "--key-file", "both of them")
    mixed = client.format(stage.files["client"], stage.files["server key"])
    yield row("tls", "mqtts", f"{ca} {mixed}", CONFIGURATION, "key values mismatch", "belong to its certificate")
    yield row("password", "mqtt", "", FORBIDDEN, "missing or wrong", "--username and --password-file")
    yield row("password", "mqtt", "--username anna --password-file F/password", FORBIDDEN, "missing or wrong", "Try: ")
    yield row("password", "mqtt", "--username anna --password-file F/right", 0)
    yield row("password", "mqtt", "--password-file F/right", USAGE, "without --username")
    yield row("websocket", "mqtt", "", UNAVAILABLE, "speaks HTTP, not MQTT", "WebSocket")
    yield row("websocket", "mqtts", ca, UNAVAILABLE, "does not speak TLS", "8883")
    yield Row(
        "broker", "AGENT check -c F/client.toml >&2", UNAVAILABLE,
        ("requires a certificate", "[mqtt] certificate_file"),
    )


def refusals():
    def row(peer, says, status=UNAVAILABLE, scheme="mqtt"):
        return Row("peer", f"REMOTE list --broker {scheme}://127.0.0.1:{peer.port} --timeout 3s", status, says)

    yield row(HTTP, ("speaks HTTP, not MQTT", "MQTT port", "proxy"))
    yield row(HTTP, ("does not speak TLS", "8883"), scheme="mqtts")
    yield row(SSH, ("speaks SSH, not MQTT", "MQTT port"))
    yield row(SILENT, ("no broker answers in time", "Try: "))
    yield row(SILENT, ("no broker answers in time", "Try: "), scheme="mqtts")
    yield row(CLOSING, ("closed the connection", "Try: mqtts://"))
    yield row(TAKEN_OVER, ("taken over", "stop the other client"))
    yield row(SHUTTING_DOWN, ("shutting down", "again in a minute"))
    yield row(REFUSING["banned"], ("banned", "administrator"), FORBIDDEN)
    yield row(REFUSING["busy"], ("busy", "again in a minute"))
    yield row(REFUSING["unavailable"], ("unavailable", "again in a minute"))
    yield row(REFUSING["client id"], ("client id", "administrator"))
    yield row(REFUSING["not authorized"], ("not authorized", "--username"), FORBIDDEN)
    yield row(REFUSING["quota"], ("quota", "again in a minute"))
    yield row(REFUSING["moved"], ("moved", "new address"))
    yield row(REFUSING["rate"], ("too often", "again in a minute"))


def urls():
    def row(url, status, *says):
        return Row("address", f"REMOTE list --broker '{url}' --timeout 3s", status, says)

    yield row("mqtt://127.0.0.1:1", UNAVAILABLE, "refused", "start the broker there")
    yield row("mqtt://nowhere.invalid", UNAVAILABLE, "the host name is unknown", "getent hosts nowhere.invalid")
    for url in ["http://127.0.0.1", "127.0.0.1", "ssl://127.0.0.1:8883", "mqtt://", "mqtts://host:99999"]:
        yield row(url, USAGE, "--broker", "Try: ")
    yield Row("address", "REMOTE list", USAGE, ("--broker is missing", "Try: --broker"))
    yield Row("address", "REMOTE list --broker mqtt://127.0.0.1 --prefix 'a/#'", USAGE, ("--prefix", "Try: "))
