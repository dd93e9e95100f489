// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Configuration
package import EventLoop
import MQTT
package import Systemd
package import Base
package import Uplink

/// What an agent finds around itself: the machine that it runs on, or a test's.
package struct Surroundings: Sendable {
    /// Which machine this is.
    package var machine: MachineIdentity
    /// The time since the machine was started.
    package var clock: any MonotonicClock
    /// What the kernel says of the date now.
    package var kernel: @Sendable () -> KernelClock
    /// The simulated adapter that takes the place of the configured one; nil in a vehicle.
    package var simulatedAdapter: SimulatedAdapter?
    /// Reaches the broker.
    package var connect: Uplink.Connect
    /// Runs the store, and may be kept waiting by a slow disk.
    package var storeExecutor: any SerialExecutor
    /// Runs the session.
    package var sessionExecutor: any TaskExecutor
    /// Where the flight recorder writes; nil: nowhere.
    package var runtimeDirectory: String?
    /// Where the store is unless the configuration says it; nil: in memory only.
    package var stateDirectory: String?
    /// Where the kernel tells how the machine is; nil: nowhere.
    package var sysfs: String?
    /// Switches the machine off.
    package var powerOff: @Sendable () async throws -> Void = { try await PowerSwitch.powerOff() }
    /// Who waits to hear how the agent is; nil: nobody.
    package var serviceManager: ServiceManager?
    /// Reads the configuration again; nil: it is read once.
    package var reload: (@Sendable () throws(ConfigurationError) -> Configuration)?
    /// Told what the log is about.
    package var logContext = LogContext()

    package init(
        machine: MachineIdentity,
        clock: any MonotonicClock,
        kernel: @escaping @Sendable () -> KernelClock,
        simulatedAdapter: SimulatedAdapter?,
        connect: @escaping Uplink.Connect,
        storeExecutor: any SerialExecutor,
        sessionExecutor: any TaskExecutor,
        runtimeDirectory: String?,
        stateDirectory: String? = nil
    ) {
        self.machine = machine
        self.clock = clock
        self.kernel = kernel
        self.simulatedAdapter = simulatedAdapter
        self.connect = connect
        self.storeExecutor = storeExecutor
        self.sessionExecutor = sessionExecutor
        self.runtimeDirectory = runtimeDirectory
        self.stateDirectory = stateDirectory
    }

    /// An adapter, and a vehicle behind it, that exist in this process only.
    package struct SimulatedAdapter: Sendable {
        /// The address in the payload of `status`.
        package var address: String
        /// Opens a link to it.
        package var open: AdapterOpener.Opener

        package init(address: String = "simulator", open: @escaping AdapterOpener.Opener) {
            self.address = address
            self.open = open
        }
    }

    private func announced(to manager: ServiceManager?) -> Surroundings {
        var surroundings = self
        surroundings.serviceManager = manager
        surroundings.sysfs = "/sys"
        return surroundings
    }

    /// The machine that this process runs on.
    package static var real: Surroundings {
        Surroundings(
            machine: MachineIdentity(),
            clock: BootClock(),
            kernel: { .now },
            simulatedAdapter: nil,
            connect: { options throws(MQTTError) in try MQTTConnection(options) },
            storeExecutor: SerialThread(named: "store"),
            sessionExecutor: EventLoop.shared,
            runtimeDirectory: RuntimeDirectory.own,
            stateDirectory: StateDirectory.own
        )
        .announced(to: .own)
    }
}
