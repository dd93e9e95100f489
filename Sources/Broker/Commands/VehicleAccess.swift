// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import ELM327
package import OBD2

/// The vehicle, as commands use it.
package protocol VehicleAccess: Sendable {
    /// Leases the bus to `body` between two polls; a `body` with many readings lets polls pass meanwhile.
    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success

    /// Changes the polled parameters to ``SelectionRequest/resolved(from:pollable:)``; if that throws, nothing changes.
    func select(_ request: SelectionRequest, of vehicle: String) async throws(Refusal) -> SelectionResult

    /// Publishes every reading of these parameters for this time, also if values are usually published slowly.
    ///
    /// - Returns: the parameters among them that are selected and thus polled; nil if no values are published.
    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>?

    /// Captures what was read in the last minute and what is read after it, or sets a rule for a time.
    ///
    /// The capture itself is an event, which has the id of the command.
    func capture(_ order: CaptureOrder, by id: String, issuer: String?, of vehicle: String) async throws(VehicleError)

    /// Wakes a parked vehicle, and keeps it awake for this time.
    ///
    /// The vehicle answers when this returns.
    func wake(for duration: Duration) async throws(VehicleError)

    /// Records an event about a command, such as the data that it is about to erase.
    ///
    /// - Returns: the reason why the event would not survive a power cut; nil if it would.
    func keep(_ event: AgentEvent) async -> String?

    /// Stores, publishes and records a finding about the vehicle of this name.
    ///
    /// - Returns: the reason why the finding would not survive a power cut; nil if it would.
    /// - Throws: `.notConnected` if no vehicle of this name was ever identified.
    func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> String?

    /// Returns the models that the connected vehicle may be, from the local catalog of signal sets.
    ///
    /// - Parameters:
    ///   - make: the make; nil takes the one that the VIN tells.
    ///   - year: the model year; nil takes the one that the VIN tells.
    func modelSearch(make: String?, year: Int?) async throws(Refusal) -> ModelSearch

    /// Takes over the result of a detection for the vehicle of this name.
    ///
    /// - Returns: the name of the signal set that the agent has chosen by a detection and polls; nil if there is none.
    func detected(_ course: DetectionCourse, of vehicle: String) async -> String?

    /// Queues records of the agent, of whatever vehicle, to be published again.
    func resend(_ request: ResendArguments) async throws(Refusal) -> ResendReport

    /// Returns the report about the connected vehicle; nil while none is connected.
    func describe() async -> VehicleReport?

    /// Returns the versions of the agent's package that the machine knows, as the result of `describe` has them.
    func packages() async -> JSON
}

/// The selection after a change, its parameters that no ECU supports, and the measured poll intervals.
///
/// The intervals are nil until the first poll.
package typealias SelectionResult = (
    selection: Selection, unsupported: [ParameterKey], achieved: [ParameterKey: Duration]?
)

/// The leased bus of a connected vehicle.
package protocol Bus: Sendable {
    /// The layout of replies on the bus.
    var layout: MessageLayout { get }
    /// The dialect of the ECUs; their answers are translated to those of SAE J1979.
    var dialect: Dialect { get }
    /// The names of the ECUs that answered when the vehicle was identified.
    var ecus: [String] { get }
    /// Returns the PID to request for the parameter of the catalogue with this PID.
    func pid(of parameter: PID) -> PID
    /// Returns the conventions of the ECU with this name for the data of service 01.
    func conventions(of ecu: String) -> ECUConventions
    /// The vehicle as the agent identified it over this bus, before the lease began.
    var vehicle: CommandExecutor.Vehicle { get }

    /// The facts that decide how to find out whether the vehicle stands.
    var driveFacts: DriveFacts { get }

    /// Identifies the vehicle again, right before a request that writes.
    func proveVehicle() async throws(VehicleError) -> VehicleProof

    /// Sends a request to all ECUs, and returns the answers of those that answer.
    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUReply]

    /// Waits, and sends nothing meanwhile.
    func pause(for duration: Duration) async throws(VehicleError)

    /// Polls the parameters that are due, once; for pauses between independent requests.
    func letPollPass() async throws(VehicleError)

    /// Reads a custom parameter, or on J1939 any parameter, and returns its values by ECU.
    func read(_ key: ParameterKey) async throws(VehicleError) -> ParameterValues

    /// Whether raw requests can be sent to this destination; nil stands for all ECUs.
    func reaches(_ destination: Destination?) -> Bool

    /// Sends a raw request; one that writes is never repeated.
    func send(_ request: RawRequest, to destination: Destination?) async throws(VehicleError) -> RawReply

    /// Suspends polling, but not commands, for this time after the lease.
    func hold(_ duration: Duration) async

    /// Reads the MIL, the codes and the freeze frames, and publishes them.
    func readCodes() async throws(VehicleError) -> CodesReport

    /// Reads readiness and all tests, and publishes them; returns nil if no ECU reports readiness.
    func readMonitors() async throws(VehicleError) -> MonitorsReport?

    /// Reads what the ECUs report about themselves, and publishes it.
    func readVehicle() async throws(VehicleError) -> VehicleReport
}

/// The values of a parameter that was read.
package struct ParameterValues: Hashable, Sendable {
    /// The value of each ECU that has sent a valid one, by the name of the ECU.
    package var byECU: [String: FieldValue]
    /// Whether an ECU has answered with something that is no valid value.
    package var isDamaged: Bool

    package init(_ byECU: [String: FieldValue] = [:], isDamaged: Bool = false) {
        self.byECU = byECU
        self.isDamaged = isDamaged
    }
}

/// The reason why an access to the vehicle failed.
package enum VehicleError: Error, Hashable, Sendable {
    /// No vehicle answers.
    case notConnected(String)
    /// The vehicle is parked, so the agent sends nothing on its bus.
    case parked(String)
    /// The vehicle is not an expected one.
    case unexpected(String)
    /// The vehicle did not prove its identity right before a request that writes, which was not sent.
    case unproven(String)
    /// The command is refused for the vehicle on the leased bus.
    case refused(Refusal)
    /// The battery of the vehicle is too low.
    case lowVoltage(String)
    /// The parked vehicle has had the largest number of probes.
    case noProbeLeft(String)
    /// Too many commands wait for the vehicle.
    case busy
    /// The adapter or the bus was lost during the access.
    case lost(String)

    /// The reason, as part of a message.
    var reason: String {
        switch self {
        case .notConnected(let reason), .parked(let reason), .unexpected(let reason), .unproven(let reason),
            .lowVoltage(let reason), .noProbeLeft(let reason), .lost(let reason):
            reason
        case .refused(let refusal): refusal.message
        case .busy: "too many commands are waiting"
        }
    }
}
