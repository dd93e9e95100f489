// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Logging
import Systemd
import UnixSignals
import Uplink

/// Reconnects to the broker when its credential files are renewed, or when a signal asks for it.
///
/// A signal reloads the configuration first.
struct CredentialService: Service {
    /// The time between two checks of the files.
    static let interval = Duration.seconds(60)

    let files: CredentialFiles
    /// The signals that reload the configuration and reconnect.
    let signals: [UnixSignal]
    let uplink: Uplink
    let clock: any MonotonicClock
    let logger: Logger
    /// Adopts the changes of the configuration that need no restart.
    let reload: @Sendable () async -> Void
    /// The service manager that is notified of a reload.
    let manager: ServiceManager?

    func run(until stop: StopRequest) async {
        await stop.cancelling {
            await withTaskGroup { group in
                if !self.files.isEmpty { group.addTask { await self.watch() } }
                group.addTask { await self.reloadOnSignals() }
            }
            // The end of a service would stop the agent.
            await stop.wait()
        }
    }

    private func watch() async {
        var change = FileChange()
        while !Task.isCancelled {
            try? await self.clock.sleep(until: self.clock.now + Self.interval)
            guard change.filesChecked(self.files.stamps, used: self.files.used) == .read else { continue }
            await self.reconnect(because: "its credential files have changed")
        }
    }

    private func reloadOnSignals() async {
        guard !self.signals.isEmpty else { return }
        for await signal in await UnixSignalsSequence(trapping: self.signals) {
            self.manager?.notify(.reloading)
            await self.reload()
            await self.reconnect(because: "signal \(signal)")
            self.manager?.notify(.ready)
        }
    }

    private func reconnect(because reason: String) async {
        guard self.uplink.hasBroker else { return }
        self.logger.notice("Reconnecting to the broker: \(reason)")
        await self.uplink.reconnect()
    }
}
