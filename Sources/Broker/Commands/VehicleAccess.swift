// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import OBD2

/// What commands need of the vehicle.
package protocol VehicleAccess: Sendable {
    /// Runs `body` with the bus to itself, between two polls; what reads many things lets polls pass.
    func withBus<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws(VehicleError) -> Success
    ) async throws(VehicleError) -> Success

    /// Polls what ``SelectionWish/resolved(from:)`` makes of the present selection; where it throws, nothing changes.
    func select(_ wish: SelectionWish, of vehicle: String) async throws(Refusal) -> SelectionReport

    /// Publishes these parameters as they are read, for so long, also where values are published slowly.
    ///
    /// - Returns: those that are selected, and so read at all; nil where no values are published.
    func boost(_ keys: [ParameterKey], for duration: Duration) async -> Set<ParameterKey>?

    /// Holds the vehicle for so long, and wakes one that is parked: it answers when this returns.
    func wake(for duration: Duration) async throws(VehicleError)

    /// Records the event of what a command is about to erase.
    ///
    /// - Returns: why a power cut would not leave it where it is; nil where it would.
    func keep(_ event: AgentEvent) async -> String?

    /// Keeps a finding with the vehicle of this name, publishes and records it.
    ///
    /// - Returns: why a power cut would not leave it where it is; nil where it would.
    /// - Throws: where no vehicle of this name was ever identified.
    func record(_ finding: Finding, of vehicle: String) async throws(VehicleError) -> String?

    /// The vehicle as it is known; nil while none is connected.
    func describe() async -> VehicleReport?
}

/// The bus of a connected vehicle, leased.
package protocol Bus: Sendable {
    /// How replies are laid out on it.
    var layout: MessageLayout { get }
    /// What its ECUs speak; their answers come in the words of SAE J1979.
    var dialect: Dialect { get }
    /// The ECUs that answered when the vehicle was identified.
    var ecus: [String] { get }
    /// The vehicle as the agent identified it over this bus, before the lease began.
    var vehicle: CommandExecutor.Vehicle { get }

    /// Asks the ECUs again which vehicle they belong to, right before a request that writes.
    func proveVehicle() async throws(VehicleError) -> VehicleProof

    /// Asks all ECUs; those that say nothing are not in the answer.
    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUAnswer]

    /// Polls what is due, once: between requests that need not follow each other.
    func letPollPass() async throws(VehicleError)

    /// Reads a custom parameter, or on J1939 any, by ECU; nothing where none tells it.
    func read(_ key: ParameterKey) async throws(VehicleError) -> [String: FieldValue]

    /// Whether requests as bytes can be sent there; nil is everybody.
    func reaches(_ destination: Destination?) -> Bool

    /// Asks bytes; what writes is sent once, whatever comes back.
    func send(_ request: RawRequest, to destination: Destination?) async throws(VehicleError) -> RawReply

    /// Nothing is polled after this lease for so long; commands go on.
    func hold(_ duration: Duration) async

    /// Reads MIL, codes and freeze frames anew, and publishes them.
    func readCodes() async throws(VehicleError) -> CodesReport

    /// Reads readiness and all tests anew, and publishes them; nil where no ECU tells its readiness.
    func readMonitors() async throws(VehicleError) -> MonitorsReport?

    /// Reads anew what the ECUs tell of themselves, and publishes it.
    func readVehicle() async throws(VehicleError) -> VehicleReport
}

/// What one ECU answered.
package enum ECUAnswer: Hashable, Sendable {
    /// Its messages, service byte first; more than one only on buses older than CAN.
    case positive([[UInt8]])
    /// A negative response code.
    case negative(UInt8)
}

/// What ended an access to the vehicle.
package enum VehicleError: Error, Hashable, Sendable {
    /// No vehicle answers at the moment.
    case notConnected(String)
    /// It is parked: its bus is left alone.
    case parked(String)
    /// It is not the one that is expected.
    case unexpected(String)
    /// The vehicle did not prove its identity right before a request that writes, which was not sent.
    case unproven(String)
    /// The command is not obeyed on the bus that was leased for it.
    case refused(Refusal)
    /// Its battery is too low, or it was asked as often as a parked vehicle may be.
    case lowVoltage(String)
    case noProbeLeft(String)
    /// Too many wait for it.
    case busy
    /// The adapter or the bus was lost in the middle.
    case lost(String)

    /// What happened, where it happened in the middle.
    var reason: String {
        switch self {
        case .notConnected(let reason), .parked(let reason), .unexpected(let reason), .unproven(let reason),
            .lowVoltage(let reason), .noProbeLeft(let reason), .lost(let reason):
            reason
        case .refused(let refusal): refusal.message
        case .busy: "too many wait for the vehicle"
        }
    }
}

/// What is polled after a change.
package struct SelectionReport: Hashable, Sendable {
    package var version: Int
    /// In seconds between readings, by parameter.
    package var intervals: [String: Double]
    /// The least changes that are published at once, by the names of values.
    package var deadBands: [String: Double]
    /// What is selected, and no ECU supports.
    package var unsupported: [String]
    /// The seconds between readings that the link carries, by parameter; nil where nothing was polled yet.
    package var achieved: [String: Double]?

    package init(
        version: Int,
        intervals: [String: Double],
        deadBands: [String: Double],
        unsupported: [String],
        achieved: [String: Double]?
    ) {
        self.version = version
        self.intervals = intervals
        self.deadBands = deadBands
        self.unsupported = unsupported
        self.achieved = achieved
    }
}
