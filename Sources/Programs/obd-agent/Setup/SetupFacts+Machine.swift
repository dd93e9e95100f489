// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Configuration
import EventLoop
import Glibc

extension SetupFacts {
    private static let samples = [
        "/usr/share/doc/obd-agent/examples/agent.toml", "/usr/local/share/doc/obd-agent/agent.toml",
    ]

    /// Reads the facts of this machine, or of the file system below a folder.
    ///
    /// - Parameter sample: the file to begin with if there is no configuration; nil for the sample of the package.
    static func read(root: String, configuration path: String, sample: String?) throws -> SetupFacts {
        var facts = SetupFacts(root: root, configurationPath: path)
        facts.existing = { FileStamp(of: $0) != nil }
        let own = HostFacts.own
        facts.host = own
        // Whether a credential exists is a question for "check": a user without root's rights cannot see it.
        facts.host.credential = { own.credential($0) ?? "\(SetupPlan.credentialFolder)/obd-agent.\($0)" }
        let present = facts.path(path)
        if let status = FileStatus(present), !status.isRegular {
            throw CommandFailure(
                .cannotCreate,
                "\(present) is \(status.words), and no regular file, so it is not replaced",
                next: "move it away, then setup again."
            )
        }
        guard sample == nil || !facts.existing(present) else {
            throw CommandFailure(
                .usage,
                "--sample has no effect, because \(present) exists",
                next: "move it away, or leave --sample out."
            )
        }
        do throws(ConfigurationError) {
            if facts.existing(present) {
                facts.base = String(decoding: try SourceFile.contents(of: present), as: UTF8.self)
                (facts.isConfigured, facts.baseName) = (true, "the present configuration")
                facts.present = try? Configuration.load(path: present, host: facts.host)
            } else if let file = sample ?? Self.samples.first(where: { FileStamp(of: $0) != nil }) {
                facts.base = String(decoding: try SourceFile.contents(of: file), as: UTF8.self)
                facts.baseName = file
            }
            if TextFile.isDirectory(present + ".d") { facts.overlays = try SourceFile.tomlFiles(at: present + ".d") }
        } catch {
            throw CommandFailure(.noInput, lines: error.problems.map(\.description))
        }
        // An image is prepared without its services.
        guard root.isEmpty else { return facts }
        facts.hasSystemd = MachineCheck.hasSystemd && Self.isProgram("systemctl")
        facts.mosquitto = MosquittoState(
            isInstalled: Self.isProgram("mosquitto") && Self.isProgram("mosquitto_passwd"),
            Self.mosquittoFiles
        )
        return facts
    }

    /// The configuration of Mosquitto, without the file that `setup` writes.
    private static var mosquittoFiles: [SourceFile] {
        let folder = "/etc/mosquitto/conf.d"
        let names = (TextFile.names(in: folder) ?? []).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
        let own = SetupPlan.brokerConfiguration
        return (["/etc/mosquitto/mosquitto.conf"] + names.filter { $0 != own }).compactMap { path in
            (try? SourceFile.contents(of: path)).map { SourceFile(name: path, bytes: $0) }
        }
    }

    private static func isProgram(_ name: String) -> Bool {
        let folders = (environmentVariable("PATH") ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/sbin"]).contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
    }
}
