// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Synchronization

@testable import Commands

/// The bus of a ``FakeVehicle``, which gives the answers of the test and records the requests.
final class FakeBus: Bus {
    let layout = MessageLayout.can
    let dialect: Dialect
    let ecus = ["7E8", "7E9"]
    /// The name of the vehicle at the beginning of the lease.
    let leased = Mutex("van")
    /// The ECUs by which the vehicle is known too, and which do not answer.
    let silent = Mutex<[String]>([])
    private let monitors: MonitorsReport?
    private let conventions: ECUConventions
    private let facts: DriveFacts
    private let proof: @Sendable () throws(VehicleError) -> VehicleProof
    private let codes: @Sendable () throws(VehicleError) -> CodesReport
    private let sent: @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply]
    private let reply: @Sendable (Request) throws(VehicleError) -> [String: ECUReply]
    private let log = Mutex<[(request: String, answers: [String: ECUReply])]>([])

    init(
        dialect: Dialect,
        monitors: MonitorsReport?,
        conventions: ECUConventions,
        facts: DriveFacts,
        proof: @escaping @Sendable () throws(VehicleError) -> VehicleProof,
        codes: @escaping @Sendable () throws(VehicleError) -> CodesReport,
        sent: @escaping @Sendable (RawRequest) throws(VehicleError) -> [String: ECUReply],
        reply: @escaping @Sendable (Request) throws(VehicleError) -> [String: ECUReply]
    ) {
        self.dialect = dialect
        self.monitors = monitors
        self.conventions = conventions
        self.facts = facts
        self.proof = proof
        self.codes = codes
        self.sent = sent
        self.reply = reply
    }

    var asked: [(request: String, answers: [String: ECUReply])] { self.log.withLock { $0 } }

    /// Notes something that the vehicle did.
    func note(_ text: String) { self.log.withLock { $0.append((text, [:])) } }

    func pid(of parameter: PID) -> PID { self.conventions.oxygenSensors.counterpart(of: parameter) }

    func conventions(of ecu: String) -> ECUConventions { self.conventions }

    func ask(_ request: Request) async throws(VehicleError) -> [String: ECUReply] {
        self.note(request.description)
        let answers = try self.reply(request)
        self.log.withLock { $0[$0.count - 1].answers = answers }
        return answers
    }

    var vehicle: CommandExecutor.Vehicle {
        CommandExecutor.Vehicle(name: self.leased.withLock { $0 }, vin: nil, silent: self.silent.withLock { $0 })
    }

    func proveVehicle() async throws(VehicleError) -> VehicleProof {
        self.note("prove")
        return try self.proof()
    }

    func letPollPass() async throws(VehicleError) {}

    var driveFacts: DriveFacts { self.facts }

    func pause(for duration: Duration) async throws(VehicleError) {
        self.note("pause \(duration.seconds)")
    }

    func reaches(_ destination: Destination?) -> Bool { destination?.header != .can29(0x18DA_10F1) }

    func send(_ request: RawRequest, to destination: Destination?) async throws(VehicleError) -> RawReply {
        self.note("send \(request)")
        return RawReply(try self.sent(request))
    }

    func hold(_ duration: Duration) async {
        self.note("hold \(duration.seconds)")
    }

    func readMonitors() async throws(VehicleError) -> MonitorsReport? {
        self.note("monitors")
        return self.monitors
    }

    func readVehicle() async throws(VehicleError) -> VehicleReport {
        self.note("vehicle")
        return VehicleReport(
            time: Timestamp(milliseconds: 0),
            vin: nil,
            protocol: "ISO 9141-2",
            dialect: .j1979,
            ecus: [],
            selected: [:],
            deadBands: [:],
            selectionVersion: 1,
            unsupported: []
        )
    }

    func read(_ key: ParameterKey) async throws(VehicleError) -> ParameterValues {
        self.note(key.name)
        guard key.name == "charge" || key == 0x0C, let formula = try? Formula("A") else {
            return ParameterValues()
        }
        let field = Field(custom: key.name, formula, symbol: "%")
        return ParameterValues(["7EC": FieldValue(field: field, value: .number(80.5))])
    }

    func readCodes() async throws(VehicleError) -> CodesReport {
        self.note("codes")
        return try self.codes()
    }
}
