// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// The answers of ECUs that speak SAE J1979-2 instead of J1979: services 22, 19 and 14.
extension ECUServices {
    /// Whether `request` clears codes, either of the emissions group or of all groups.
    static func clearsCodes(_ request: [UInt8]) -> Bool {
        request == [0x14, 0xFF, 0xFF, 0x33] || request == [0x14, 0xFF, 0xFF, 0xFF]
    }

    func part2Answer(to request: [UInt8], from ecu: ECU) -> ServiceAnswer {
        switch request.first {
        case 0x22 where request.count == 3: self.data(request[1], request[2], ecu)
        case 0x19: self.codes(request, ecu)
        default: .refusal(0x11)
        }
    }

    private func data(_ high: UInt8, _ low: UInt8, _ ecu: ECU) -> ServiceAnswer {
        let features = self.options.part2
        if features.hasReadiness, low == 0x01, high == 0xF4 || high == 0xF5 {
            let status = features.readiness(self.memory.status(of: ecu, self.state))
            return high == 0xF4 ? .refusal(0x31) : .messages([[0x62, high, low] + status.data])
        }
        // Only these services of J1979 have the same layout in J1979-2.
        let services: [UInt8: Service] = [0xF4: .currentData, 0xF8: .vehicleInformation]
        guard let service = services[high] else { return .refusal(0x31) }
        let answer = self.j1979Answer(to: [service.rawValue, low], from: ecu)
        guard case .messages(let messages, let sendsPending) = answer else { return .refusal(0x31) }
        // J1979 counts the items of each InfoType but the bitmap. J1979-2 does not, so that byte is removed.
        let isCounted = service == .vehicleInformation && low != InfoType.supported.rawValue
        var parts = messages.map { [0x62, high, low] + $0.dropFirst(isCounted ? 3 : 2) }
        // PID 01 is the first bit of the first bitmap.
        if features.hasReadiness, high == 0xF4, low == 0x00 {
            parts = parts.map { $0.prefix(3) + [$0[3] & 0x7F] + $0.dropFirst(4) }
        }
        return .messages(parts, sendsPending: sendsPending)
    }

    private func codes(_ request: [UInt8], _ ecu: ECU) -> ServiceAnswer {
        let features = self.options.part2
        guard request.count >= 2, features.supports(request[1], ecu) else { return .refusal(0x12) }
        let isPermanent = request[1] == 0x55
        let mask = CodeStatus(rawValue: isPermanent ? 0xFF : request.count > 3 ? request[3] : request.last ?? 0)
        let confirmed = self.memory.codes(self.memory.confirmed, storedBy: ecu)
        let pending = self.memory.codes(self.memory.pending, storedBy: ecu)
        let codes =
            isPermanent
            ? self.memory.codes(self.memory.permanent, storedBy: ecu).map { ($0, CodeStatus.confirmed) }
            : confirmed.map { ($0, [.confirmed, .testFailedSinceClear, .warningIndicatorRequested]) }
                + pending.filter { !confirmed.contains($0) }.map { ($0, [.pending, .testFailedSinceClear]) }
        let reported = codes.filter { isPermanent || !$0.1.isDisjoint(with: mask) }.map(features.record)
        return UDSCodeReply.encode(reported, to: request).map { .messages([$0]) } ?? .refusal(0x31)
    }
}
