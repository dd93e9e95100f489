// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Configuration
import Testing

@testable import obd_agent

@Suite("The plan of setup")
struct SetupPlanTests {
    /// The facts of a machine on which these paths exist.
    private static func facts(_ text: String? = nil, existing: Set<String> = [], hasSystemd: Bool = true) throws
        -> SetupFacts
    {
        var facts = SetupFacts()
        facts.existing = { existing.contains($0) }
        facts.host = HostFacts(credential: { "/etc/credstore/obd-agent.\($0)" })
        (facts.hasSystemd, facts.mosquitto) = (hasSystemd, .free)
        guard let text else { return facts }
        (facts.base, facts.isConfigured, facts.baseName) = (text, true, "the present configuration")
        facts.present = try? Configuration(toml: Array(text.utf8), file: "agent.toml", host: facts.host)
        return facts
    }

    private static func plan(_ answers: SetupAnswers, _ facts: SetupFacts) throws -> SetupPlan {
        try SetupPlan(answers, facts) { "made-by-setup" }
    }

    private static func answers(_ broker: SetupAnswers.Broker?, user: SetupAnswers.User, _ password: String?)
        -> SetupAnswers
    {
        var answers = SetupAnswers(adapter: "ble", broker: broker)
        (answers.user, answers.password) = (user, password)
        return answers
    }

    private static func file(_ path: String, in steps: [SetupStep]) -> SetupFile? {
        for case .write(let file) in steps where file.path == path { return file }
        return nil
    }

    private static let configurationPath = "/etc/obd-agent/agent.toml"
    private static let credentialPath = "/etc/credstore/obd-agent.mqtt-password"

    @Test("Without a broker the configuration names none, and no connection is tried")
    func withoutBroker() throws {
        let new = try Self.plan(Self.answers(.absent, user: .unchanged, nil), Self.facts())
        let text = try #require(Self.file(Self.configurationPath, in: new.agent)).text
        #expect(text.contains("address = \"ble\"") && !text.contains("url"))
        #expect(new.trial == nil && new.broker.isEmpty)
        let present = "[adapter]\naddress = \"ble\"\n[mqtt]\nurl = \"mqtt://127.0.0.1\"\nusername = \"obd\"\n"
        let changed = try Self.plan(Self.answers(.absent, user: .unchanged, nil), Self.facts(present))
        let file = try #require(Self.file(Self.configurationPath, in: changed.agent))
        #expect(file.text.contains("#url = ") && file.text.contains("#username = ") && changed.trial == nil)
        let again = try Self.plan(Self.answers(.absent, user: .unchanged, nil), Self.facts(file.text))
        #expect(again.isEmpty)
    }

    @Test("A password is in a file that only root reads, and nowhere else")
    func secret() throws {
        let answers = Self.answers(.url("mqtt://homeassistant.local"), user: .named("obd"), "s3cr3t")
        let plan = try Self.plan(answers, Self.facts())
        let credential = try #require(Self.file(Self.credentialPath, in: plan.agent))
        #expect(credential.text == "s3cr3t\n" && credential.mode == 0o600 && credential.copy == nil)
        #expect(plan.agent.first == .makeFolder("/etc/credstore", mode: 0o700))
        let configuration = try #require(Self.file(Self.configurationPath, in: plan.agent))
        #expect(configuration.mode == 0o644)
        #expect(configuration.text.contains("password_file = \"credential:mqtt-password\""))
        #expect(!configuration.text.contains("s3cr3t"))
        #expect(!plan.lines.joined().contains("s3cr3t"))
        #expect(plan.broker.isEmpty)
        #expect(
            plan.service == [.run(["systemctl", "enable", "obd-agent"]), .run(["systemctl", "restart", "obd-agent"])]
        )
    }

    @Test("Without a password there is no credential, and without systemd nothing is started")
    func least() throws {
        let answers = Self.answers(.url("mqtts://broker.example"), user: .none, nil)
        let plan = try Self.plan(answers, Self.facts(hasSystemd: false))
        #expect(plan.agent.count == 2 && plan.service.isEmpty)
        let text = try #require(Self.file(Self.configurationPath, in: plan.agent)).text
        #expect(text == "[adapter]\naddress = \"ble\"\n\n[mqtt]\nurl = \"mqtts://broker.example\"\n")
    }

    @Test("A local broker listens on this machine only, and its password goes through standard input")
    func local() throws {
        let plan = try Self.plan(Self.answers(.local, user: .named("obd-agent"), nil), Self.facts())
        let broker = try #require(Self.file("/etc/mosquitto/conf.d/obd-agent.conf", in: plan.broker))
        #expect(broker.text.contains("\nlistener 1883 127.0.0.1\nallow_anonymous false\n"))
        let passwords = "/etc/mosquitto/obd-agent.passwords"
        #expect(
            plan.broker.dropFirst() == [
                .run(["mosquitto_passwd", "-c", passwords, "obd-agent"], input: "made-by-setup\nmade-by-setup\n"),
                .run(["chown", "mosquitto:", passwords]), .run(["chmod", "600", passwords]),
                .run(["systemctl", "restart", "mosquitto"]),
            ]
        )
        #expect(plan.brokerFiles == [broker.path, passwords])
        #expect(plan.brokerUndo == [.run(["systemctl", "restart", "mosquitto"])])
        #expect(Self.file(Self.credentialPath, in: plan.agent)?.text == "made-by-setup\n")
        #expect(Self.file(Self.configurationPath, in: plan.agent)?.text.contains("mqtt://127.0.0.1:1883") == true)
        #expect(!plan.lines.joined().contains("made-by-setup"))
    }

    @Test("A local broker that setup has set up before keeps its files, its users and its fate")
    func localAgain() throws {
        let files: Set = ["/etc/mosquitto/conf.d/obd-agent.conf", "/etc/mosquitto/obd-agent.passwords"]
        let plan = try Self.plan(Self.answers(.local, user: .named("anna"), "typed"), Self.facts(existing: files))
        #expect(
            plan.broker.first
                == .run(["mosquitto_passwd", "/etc/mosquitto/obd-agent.passwords", "anna"], input: "typed\ntyped\n")
        )
        #expect(plan.brokerFiles.isEmpty)
    }

    @Test("A present configuration keeps all else, and a copy of it stays")
    func kept() throws {
        let text = "# mine\n[mqtt]\nurl = \"mqtts://old.example\"\n\n[parameters]\nengine_speed = 1\n"
        let existing: Set = [Self.configurationPath, "\(Self.configurationPath).old-1", Self.credentialPath]
        let answers = Self.answers(.url("mqtts://new.example"), user: .named("obd"), "new")
        let plan = try Self.plan(answers, Self.facts(text, existing: existing))
        let file = try #require(Self.file(Self.configurationPath, in: plan.agent))
        #expect(file.copy == "\(Self.configurationPath).old-2")
        #expect(file.text.hasPrefix("# mine\n[mqtt]\n") && file.text.contains("\nengine_speed = 1\n"))
        #expect(file.text.contains("url = \"mqtts://new.example\"") && !file.text.contains("old.example"))
        #expect(Self.file(Self.credentialPath, in: plan.agent)?.copy == "\(Self.credentialPath).old-1")
    }

    @Test("Answers that change nothing write nothing")
    func unchanged() throws {
        let text = "[mqtt]\nurl = \"mqtts://old.example\"\n"
        let facts = try Self.facts(text, existing: [Self.configurationPath])
        var same = Self.answers(.url("mqtts://OLD.example:8883"), user: .none, nil)
        for answers in [SetupAnswers(), same] {
            let plan = try Self.plan(answers, facts)
            #expect(plan.isEmpty && !plan.service.isEmpty && plan.trial == nil)
            #expect(plan.lines.first == "Nothing to change: the configuration has these answers already.")
        }
        same.name = "van"
        #expect(try !Self.plan(same, facts).isEmpty)
    }

    private static let withUser = """
        [mqtt]
        url = "mqtt://127.0.0.1:1883"
        username = "obd"
        password_file = "/old"

        """

    /// The changed keys that the user sees before the yes.
    private static func shown(_ answers: SetupAnswers) throws -> [String] {
        let plan = try Self.plan(answers, Self.facts(Self.withUser, existing: [Self.configurationPath]))
        return Array(Self.file(Self.configurationPath, in: plan.agent)?.shown.dropFirst() ?? [])
    }

    @Test("The same broker and user keep their password, however they are written")
    func sameUser() throws {
        for url in ["mqtt://127.0.0.1", "mqtt://127.0.0.1:1883"] {
            var answers = Self.answers(.url(url), user: .named("obd"), nil)
            #expect(try Self.shown(answers).isEmpty)
            answers.password = "new"
            #expect(try Self.shown(answers) == ["[mqtt] password_file = \"credential:mqtt-password\""])
            answers.user = .unchanged
            let plan = try Self.plan(answers, Self.facts(Self.withUser, existing: [Self.configurationPath]))
            #expect(Self.file(Self.credentialPath, in: plan.agent)?.text == "new\n")
            #expect(plan.trial?.password == "new" && plan.trial?.configuration.mqtt.username == "obd")
        }
    }

    @Test("The preview names every key that goes")
    func removed() throws {
        let gone = "remove [mqtt] password_file"
        #expect(
            try Self.shown(Self.answers(.url("mqtt://127.0.0.1:1889"), user: .none, nil))
                == ["[mqtt] url = \"mqtt://127.0.0.1:1889\"", "remove [mqtt] username", gone]
        )
        #expect(try Self.shown(Self.answers(nil, user: .named("bert"), "")) == ["[mqtt] username = \"bert\"", gone])
        let plan = try Self.plan(
            Self.answers(nil, user: .none, nil),
            Self.facts(Self.withUser, existing: [Self.configurationPath])
        )
        #expect(plan.lines.contains { $0.hasSuffix(" \(gone)") })
    }

    @Test("A local broker as setup has made it changes only with another user or password")
    func localKept() throws {
        let text = Self.withUser.replacing("/old", with: "credential:mqtt-password")
        let files: Set = [
            "/etc/mosquitto/conf.d/obd-agent.conf", "/etc/mosquitto/obd-agent.passwords", Self.configurationPath,
            Self.credentialPath,
        ]
        let facts = try Self.facts(text, existing: files)
        #expect(try Self.plan(Self.answers(.local, user: .unchanged, nil), facts).isEmpty)
        #expect(try Self.plan(Self.answers(.local, user: .named("obd"), nil), facts).isEmpty)
        let plan = try Self.plan(Self.answers(.local, user: .unchanged, "new"), facts)
        #expect(
            plan.broker.first
                == .run(["mosquitto_passwd", "/etc/mosquitto/obd-agent.passwords", "obd"], input: "new\nnew\n")
        )
        #expect(Self.file(Self.credentialPath, in: plan.agent)?.text == "new\n" && plan.trial == nil)
        // One of its files is lost: it is made anew.
        let lost = try Self.facts(text, existing: files.subtracting([Self.credentialPath]))
        #expect(try Self.plan(Self.answers(.local, user: .named("obd"), nil), lost).broker.count == 4)
    }

    @Test("Without systemd the commands are named that start all of it")
    func commands() throws {
        let run = "obd-agent run --config \(Self.configurationPath)"
        let folder = "install -d -m 700 /var/lib/obd-agent"
        let local = Self.answers(.local, user: .named("obd-agent"), nil)
        #expect(
            try Self.plan(local, Self.facts(hasSystemd: false)).commands
                == [
                    "install -d -o mosquitto /run/mosquitto", "mosquitto -d -c /etc/mosquitto/mosquitto.conf", folder,
                    run,
                ]
        )
        let prepared = try Self.facts(existing: ["/run/mosquitto", "/var/lib/obd-agent"], hasSystemd: false)
        #expect(try Self.plan(local, prepared).commands == ["mosquitto -d -c /etc/mosquitto/mosquitto.conf", run])
        let other = Self.answers(.url("mqtts://b.example"), user: .none, nil)
        #expect(try Self.plan(other, Self.facts(hasSystemd: false)).commands == [folder, run])
        let made = try Self.facts(existing: ["/var/lib/obd-agent"], hasSystemd: false)
        #expect(try Self.plan(other, made).commands == [run])
        #expect(try Self.plan(other, Self.facts()).commands.isEmpty)
    }

    @Test(
        "A serial adapter, one of classic Bluetooth, or CAN gets the drop-in that its sandbox needs",
        arguments: [
            ("serial:/dev/ttyUSB0", "serial.conf"), ("rfcomm:AA:BB:CC:DD:EE:FF", "rfcomm.conf"),
            ("can:can0", "can.conf"),
        ]
    )
    func dropIn(adapter: String, name: String) throws {
        var answers = Self.answers(.url("mqtts://b.example"), user: .none, nil)
        answers.adapter = adapter
        let source = "/usr/share/obd-agent/drop-ins/\(name)"
        let target = "/etc/systemd/system/obd-agent.service.d/\(name)"
        let plan = try Self.plan(answers, Self.facts(existing: [source]))
        #expect(plan.agent.suffix(2) == [.link(target, to: source), .run(["systemctl", "daemon-reload"])])
        #expect(try Self.plan(answers, Self.facts(existing: [source, target])).agent.count == 2)
        #expect(try Self.plan(answers, Self.facts()).agent.count == 2)
    }

    @Test("Answers that do not go with the rest of the configuration are refused with its words, before anything")
    func contradiction() throws {
        let text = "[mqtt]\nurl = \"mqtts://old.example\"\nca_file = \"/etc/ca.pem\"\n"
        let facts = try Self.facts(text, existing: [Self.configurationPath])
        let error = try #require(throws: CommandFailure.self) {
            try Self.plan(Self.answers(.url("mqtt://van.local"), user: .none, nil), facts)
        }
        #expect(error.code == .configuration && error.description.contains("has no effect without an mqtts:// URL"))
    }

    @Test("A file in agent.toml.d that has the last word is named")
    func overlay() throws {
        var facts = try Self.facts()
        facts.overlays = [SourceFile(name: "a.toml", bytes: Array("[adapter]\naddress = \"tcp:h:1\"\n".utf8))]
        let error = try #require(throws: CommandFailure.self) {
            try Self.plan(Self.answers(.url("mqtts://b.example"), user: .none, nil), facts)
        }
        #expect(error.code == .configuration && error.description.contains("agent.toml.d"))
    }

    @Test("Whoever has configured Mosquitto already is left alone")
    func mosquitto() {
        func state(_ text: String) -> MosquittoState {
            MosquittoState(isInstalled: true, [SourceFile(name: "mosquitto.conf", bytes: Array(text.utf8))])
        }
        #expect(state("pid_file /run/x\n# listener 1883\n\ninclude_dir /etc/mosquitto/conf.d\n") == .free)
        #expect(
            state("# a\n  listener 1883\n") == .configured(file: "mosquitto.conf", line: 2, setting: "listener")
        )
        #expect(state("allow_anonymous\ttrue") != .free)
        #expect(MosquittoState(isInstalled: false, []) == .absent)
        #expect(MosquittoState.free.problem == nil && MosquittoState.absent.problem != nil)
    }
}
