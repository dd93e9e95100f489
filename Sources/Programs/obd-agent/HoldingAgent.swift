// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import CommandLine
import Configuration
import EventLoop

/// The agent that runs with the database of a configuration, whoever has started it.
struct HoldingAgent {
    /// The unit that starts the agent as a service.
    private static let unit = "obd-agent.service"

    let lock: DirectoryLock.InUse
    /// The path of the configuration.
    private let file: String

    /// Returns nil if no process has locked the directory of the database.
    init?(of configuration: Configuration, in file: String) {
        do throws(DirectoryLock.InUse) {
            _ = try DirectoryLock.acquire(configuration.store.directory ?? StateDirectory.own)
            return nil
        } catch {
            (self.lock, self.file) = (error, file)
        }
    }

    /// Whether the service manager has started it.
    var isService: Bool {
        guard let holder = self.lock.holder else { return MachineCheck.hasSystemd }
        return TextFile.read("/proc/\(holder)/cgroup")?.contains(Self.unit) ?? false
    }

    private var process: String { self.lock.holder.map { "process \($0)" } ?? "the process" }

    var sentence: String { "The agent runs" + (self.lock.holder.map { ", as process \($0)." } ?? ".") }

    /// The step that stops it.
    var stop: String { self.isService ? "sudo systemctl stop obd-agent" : "end \(self.process)" }

    /// The next steps for a user who has checked it.
    var next: String {
        let file = self.file == ConfigurationOptions.defaultPath ? "" : " --config \(self.file)"
        return self.isService
            ? "sudo obd-agent watch. A changed configuration needs: sudo systemctl restart obd-agent"
            : "obd-agent watch\(file). A changed configuration needs: end \(self.process), obd-agent run\(file)"
    }
}
