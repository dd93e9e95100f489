// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Configuration
package import EventLoop
import MQTT
package import Systemd
package import Uplink

/// The environment of an agent: the machine that it runs on, or that of a test.
package struct Surroundings: Sendable {
    /// The identity of the machine.
    package var machine: MachineIdentity
    /// The clock that counts from the start of the machine.
    package var clock: any MonotonicClock
    /// Returns the kernel's present date, and whether it is synchronized.
    package var kernel: @Sendable () -> KernelClock
    /// The simulated adapter that replaces the configured one; nil in a vehicle.
    package var simulatedAdapter: SimulatedAdapter?
    /// Opens a connection to the broker.
    package var connect: Uplink.Connect
    /// The executor of the store, which a slow disk may block.
    package var storeExecutor: any SerialExecutor
    /// The executor of the session.
    package var sessionExecutor: any TaskExecutor
    /// The directory of the flight recorder and of ``feedSocket``; nil disables the former.
    package var runtimeDirectory: String?
    /// The directory of ``feedSocket`` if there is no ``runtimeDirectory``; nil disables the socket.
    package var socketDirectory: String?
    /// The directory of the store unless the configuration names one; nil keeps the store in memory.
    package var stateDirectory: String?
    /// The directory of the kernel's sysfs; nil if the agent does not report on the machine.
    package var sysfs: String?
    /// The directory in which the package tells of an upgrade that it has rolled back; nil if none is looked for.
    package var upgradeDirectory: String?
    /// Switches the machine off.
    package var powerOff: @Sendable () async throws -> Void = { try await PowerSwitch.powerOff() }
    /// The service manager that is notified of the agent's state; nil without one.
    package var serviceManager: ServiceManager?
    /// Reads the configuration again; nil if it is read only once.
    package var reload: (@Sendable () throws(ConfigurationError) -> Configuration)?
    /// The context of the log lines, which the agent updates.
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

    /// A simulated adapter in this process, with a simulated vehicle.
    package struct SimulatedAdapter: Sendable {
        /// The address in the payload of `status`.
        package var address: String
        /// Opens a link to the simulated adapter.
        package var open: AdapterOpener.Opener

        package init(address: String = "simulator", open: @escaping AdapterOpener.Opener) {
            self.address = address
            self.open = open
        }
    }

    /// The path of the socket for programs on the machine; nil for none.
    var feedSocket: String? { (self.runtimeDirectory ?? self.socketDirectory).map { "\($0)/\(KeptFile.socket)" } }

    private func announced(to manager: ServiceManager?) -> Surroundings {
        var surroundings = self
        surroundings.serviceManager = manager
        surroundings.sysfs = "/sys"
        surroundings.upgradeDirectory = UpgradeRollback.directory
        return surroundings
    }

    /// The surroundings of this process.
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
