// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle
import Systemd
import Base
import UnixSignals
import Uplink

/// Connects anew when the files with which the broker and the agent know each other are renewed; and reads the
/// configuration again, and connects anew, when told to.
struct CredentialService: ServiceLifecycle.Service {
    /// How often the files are looked at.
    static let interval = Duration.seconds(60)

    let files: CredentialFiles
    /// What says that they are new.
    let signals: [UnixSignal]
    let uplink: Uplink
    let clock: any MonotonicClock
    let logger: Logger
    /// Takes over what may change in the configuration while the agent runs.
    let reload: @Sendable () async -> Void
    /// Who wants to know that this happens.
    let manager: ServiceManager?

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                if !self.files.isEmpty { group.addTask { await self.watch() } }
                group.addTask { await self.obey() }
            }
            // Nothing to do is no reason to end.
            try? await gracefulShutdown()
        }
    }

    private func watch() async {
        var change = FileChange()
        while !Task.isCancelled {
            try? await self.clock.sleep(until: self.clock.now + Self.interval)
            guard change.looked(self.files.stamps, used: self.files.used) == .read else { continue }
            await self.connect(because: "the files of the connection have changed")
        }
    }

    private func obey() async {
        guard !self.signals.isEmpty else { return }
        for await signal in await UnixSignalsSequence(trapping: self.signals) {
            self.manager?.notify(.reloading)
            await self.reload()
            await self.connect(because: "\(signal)")
            self.manager?.notify(.ready)
        }
    }

    private func connect(because reason: String) async {
        self.logger.notice("Connecting to the broker anew: \(reason)")
        await self.uplink.reconnect()
    }
}
