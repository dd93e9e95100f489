// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327
import OBD2
import Session
import Simulator

/// The setup for one quirk, and the results that a session must have.
struct QuirkScene {
    /// The outcome that the test expects.
    enum Ending: Equatable {
        /// The session has samples, identity and codes, and all are right.
        case everything
        /// The session has samples; identity and codes are right or reported as unknown.
        case something
        /// No session begins; each attempt ends with one of these errors.
        case failure([SessionError])
        /// Replies cannot show the quirk; the test of this name in this file does.
        case elsewhere(file: String, test: String)
        /// No test can show the quirk.
        case nowhere(why: String)
    }

    var vehicle = SimulatedVehicle.Options()
    var adapter = SimulatedAdapter.Options()
    var isParked = false
    /// The protocol that is configured; nil to search for it.
    var bus: BusProtocol?
    var duration = Duration.seconds(320)
    var ending = Ending.everything
    /// The permitted number of sessions; more than one if the quirk must end a session.
    var connections = 1...1
    /// The time since the start in which opening a link fails.
    var unreachable: ClosedRange<Duration>?
    var intervals: [ParameterKey: Duration] = [0x0C: .seconds(1), 0x0D: .seconds(1), 0x05: .seconds(10)]
    /// The identity that the session finds for the adapter.
    var identity = "ELM327 v1.5"
    /// Whether the adapter answers to a reset.
    var isReset = true
    /// Whether the quirk costs nothing: the session drops no reply, and needs no second reading of a list.
    var isHarmless = false
    /// The errors that may end a session.
    var losses: Set<SessionError> = []
    /// The plausible voltages, including those of a starting engine; nil if the session must report no voltage.
    var voltage: ClosedRange<Double>? = 9...15

    init(_ quirk: Int) {
        self.adapter.quirks = Quirk.simulated.contains(quirk) ? [quirk] : []
        self.vehicle.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0700)]
        self.vehicle.pendingCodes = [DTC(rawValue: 0x0420)]
        self.vehicle.permanentCodes = [DTC(rawValue: 0x0301)]
        self.isHarmless = [0, 2, 3, 4, 5, 6, 10, 11, 12, 13, 17, 18, 19, 20, 21, 22, 28, 29, 31, 35].contains(
            quirk
        )
        switch quirk {
        case 1: self.isReset = false
        case 8: self.adapter.quirks = [7, 8]
        case 9: self.intervals = [0x0C: .seconds(3), 0x0D: .seconds(3), 0x05: .seconds(10)]
        case 13:
            self.adapter.version = "ELM327 v2.1"
            self.identity = "ELM327 v2.1"
        case 16:
            self.isReset = false
            self.losses = [.link(.lost("the simulated adapter was unplugged"))]
        case 19:
            self.isReset = false
            self.identity = "YM1130"
        case 14, 33: self.ending = .failure([.startUp(.headersIgnored)])
        case 21, 22:
            // The adapter prints BUS INIT only if the bus is configured and not searched for.
            self.vehicle.bus = .kwpFast
            self.bus = .kwpFast
            // With two ECUs, the session could find an ECU with an unreadable first answer when the other one answers.
            self.vehicle.ecus = 1
            self.vehicle.codes.removeLast()
            self.adapter.quirks = [21, 22]
        case 23:
            self.isParked = true
            self.ending = .failure([.startUp(.noVehicle(.unableToConnect))])
        case 24:
            self.isParked = true
            self.ending = .failure(
                [Notice.busError, .noData, .busInitError].map { .startUp(.noVehicle($0)) }
            )
        case 25:
            self.connections = 2...6
            self.losses = [.adapterRestarted, .settingsNotRestored]
        case 26:
            self.connections = 2...40
            self.losses = [.adapterRestarted, .settingsNotRestored]
        case 29: self.vehicle.bus = .can29at500
        case 36:
            self.vehicle.codes = (0x0100..<0x0120).map { DTC(rawValue: $0) }
            self.ending = .something
        case 37, 39: self.vehicle.bus = .iso9141
        case 38:
            self.vehicle.codes = []
            self.vehicle.pendingCodes = []
            self.vehicle.permanentCodes = []
        case 40: self.intervals = [0x0C: .seconds(1), 0x0D: .seconds(1), 0x05: .seconds(1)]
        case 41:
            self.connections = 2...40
            self.losses = [.vehicleSilent, .settingsNotRestored]
        case 43: self.voltage = nil
        case 46:
            self.ending = .elsewhere(
                file: "BlueZTests/FailureTests.swift",
                test: "Without an adapter, the dial fails at the deadline"
            )
        case 47:
            self.ending = .elsewhere(
                file: "BlueZTests/SerialCharacteristicsTests.swift",
                test: "Every known profile is recognized"
            )
        case 50:
            self.ending = .elsewhere(
                file: "BlueZTests/DialTests.swift",
                test: "A device whose object is gone is searched for again"
            )
        case 51:
            self.ending = .elsewhere(
                file: "AdapterLinkTests/RFCOMMDialerTests.swift",
                test: "A channel that connects and drops is skipped"
            )
        case 52:
            self.adapter.quirks = [26]
            self.unreachable = .seconds(20)...Duration.seconds(120)
            self.duration = .seconds(400)
            self.connections = 2...40
            self.losses = [.adapterRestarted, .settingsNotRestored, .link(.lost("the second connection fails"))]
        case 53:
            self.duration = .seconds(2000)
            self.connections = 2...2
            self.losses = [.adapterSilent]
        case 54:
            self.ending = .nowhere(why: "what is powered is not in any reply; silence while parked is another matter")
        default: break
        }
    }

    /// Returns the codes of a list by ECU.
    func codes(_ state: CodeState) -> [ECUAddress: Set<DTC>] {
        let codes =
            switch state {
            case .stored: self.vehicle.codes
            case .pending: self.vehicle.pendingCodes
            case .permanent: self.vehicle.permanentCodes
            }
        let engine = codes.filter { !Self.isTransmission($0) }
        let transmission = codes.filter(Self.isTransmission)
        let addresses = Self.addresses(on: self.vehicle.bus)
        let all = [addresses.engine: Set(engine), addresses.transmission: Set(transmission)]
        return self.vehicle.ecus == 1 ? all.filter { $0.key == addresses.engine } : all
    }

    private static func isTransmission(_ code: DTC) -> Bool { (0x07...0x08).contains(code.rawValue >> 8) }

    static func addresses(on bus: BusProtocol) -> (engine: ECUAddress, transmission: ECUAddress) {
        switch bus {
        case .can11at500, .can11at250: (.can11(0x7E8), .can11(0x7E9))
        case .can29at500, .can29at250: (.can29(0x10), .can29(0x18))
        default: (.legacy(0x10), .legacy(0x18))
        }
    }
}
