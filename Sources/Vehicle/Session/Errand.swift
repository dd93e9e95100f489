// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// A single request besides the polling.
package enum Errand: Hashable, Sendable {
    /// The next bitmap of supported PIDs.
    case supportedPIDs(PID)
    case vin
    /// Another InfoType of service 09.
    case information(InfoType)
    /// PID 4F or 50: the full scales of some values.
    case maxima(PID)
    /// PID 01: MIL, code count, readiness.
    case monitorStatus
    /// The readiness of ECUs on J1939, which PID 01 has together with the MIL.
    case readiness
    case codes(CodeState)
    /// The list of codes by the state alone, for ECUs of J1979-2 that do not know the functional groups.
    case ungroupedCodes(CodeState)
    /// A PID in the freeze frame that an ECU stored together with a code.
    case freezeFrame(PID)
    /// A request for test results of the monitors.
    case tests(TestQuestion)
    /// PID 00, to prove that the adapter addresses all ECUs.
    case settingsProof
    /// The InfoType that identified the vehicle, requested once more; nil: PID 00.
    case identityProof(InfoType?)
    /// The VIN of one ECU, for a vehicle that does not report it by service 09; after the identification, as a proof.
    case addressedVIN(VINRequest)

    var isBitmap: Bool { if case .supportedPIDs = self { true } else { false } }

    /// The destination; nil for all ECUs.
    var destination: Destination? {
        if case .addressedVIN(let vin) = self { vin.request.destination } else { nil }
    }

    /// The request for the same data in SAE J1979.
    package var request: Request {
        switch self {
        case .supportedPIDs(let base): .currentData(base)
        case .maxima(let pid): .currentData(pid)
        case .vin, .addressedVIN: .vehicleInformation(.vin)
        case .information(let type): .vehicleInformation(type)
        case .monitorStatus, .readiness: .currentData(0x01)
        case .codes(let state), .ungroupedCodes(let state): state.request
        case .freezeFrame(let pid): .freezeFrame(pid)
        case .tests(let question): question.request
        case .settingsProof, .identityProof(nil): .currentData(0x00)
        case .identityProof(let type?): .vehicleInformation(type)
        }
    }
}

extension BusRequest {
    /// Creates the bus request for a request as bytes.
    init(_ request: RawRequest, to destination: Destination?) {
        let isSlow = request.effect != .reads || [0x06, 0x09, 0x19].contains(request.payload.first)
        self.init(
            payload: request.payload,
            echo: request.echo,
            isSlow: isSlow,
            isRepeatable: request.effect == .reads,
            addressing: destination.map(Addressing.init)
        )
    }

    /// Creates the bus request for a request of `OBD2`.
    package init(_ request: Request, layout: MessageLayout) {
        let lengths: ClosedRange<Int>? =
            switch request.service {
            case .currentData where request.data.count == 1:
                request.pids.first.flatMap { Parameter.withPID($0)?.length }
                    .map { $0.lowerBound + 2...$0.upperBound + 2 }
            case .currentData: Self.length(of: request.pids)
            case .freezeFrame where request.data.count == 2:
                request.data.first.flatMap { Parameter.withPID(PID(rawValue: $0))?.length }
                    .map { $0.lowerBound + 3...$0.upperBound + 3 }
            case .oxygenSensorTests: 4...7
            case .monitorTests where layout == .legacy: 7...7
            case .control: 6...7
            case .confirmedCodes, .pendingCodes, .permanentCodes:
                layout == .legacy ? 7...7 : nil
            default: nil
            }
        self.init(
            payload: request.payload,
            echo: request.echo,
            lengths: lengths,
            isSlow: [.clearCodes, .control, .vehicleInformation, .monitorTests].contains(request.service),
            isRepeatable: request.service != .clearCodes && request.service != .control
        )
    }

    /// Returns the possible lengths of an answer with one or more of `pids`; nil if a PID has no fixed length.
    private static func length(of pids: [PID]) -> ClosedRange<Int>? {
        let lengths = pids.compactMap { Parameter.withPID($0)?.length }
        guard lengths.count == pids.count, let least = lengths.map(\.lowerBound).min() else { return nil }
        return 2 + least...1 + lengths.reduce(0) { $0 + 1 + $1.upperBound }
    }
}
