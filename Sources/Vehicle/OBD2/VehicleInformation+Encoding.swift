// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payloads, one for each message, with which an ECU answers service 09.
extension VehicleInformation {
    /// Encodes the VIN, which follows three NULs on the older buses.
    package static func encode(vin: VIN, layout: MessageLayout) -> [[UInt8]] {
        Self.encode(.vin, [layout == .can ? vin.bytes : [0, 0, 0] + vin.bytes], layout)
    }

    /// Encodes calibration identifications of up to sixteen ASCII characters.
    package static func encode(calibrationIDs: [String], layout: MessageLayout) -> [[UInt8]] {
        Self.encode(.calibrationIDs, calibrationIDs.map { Self.padded($0.utf8, to: Self.calibrationIDSize) }, layout)
    }

    /// Encodes calibration verification numbers.
    package static func encode(calibrationVerificationNumbers numbers: [UInt32], layout: MessageLayout) -> [[UInt8]] {
        Self.encode(.calibrationVerificationNumbers, numbers.map(Self.bytes), layout)
    }

    /// Encodes the ECU's name: four bytes of acronym, a dash, fifteen of name.
    package static func encode(ecuName: ECUName, layout: MessageLayout) -> [[UInt8]] {
        let acronym = Self.padded(ecuName.acronym.utf8, to: 4)
        let name = Self.padded(ecuName.name.utf8, to: Self.ecuNameSize - 5)
        return Self.encode(.ecuName, [acronym + [UInt8(ascii: "-")] + name], layout)
    }

    /// Encodes the counters of in-use performance.
    package static func encode(inUsePerformance performance: InUsePerformance, layout: MessageLayout) -> [[UInt8]] {
        let type: InfoType = performance.ignition == .spark ? .sparkPerformance : .compressionPerformance
        let counters = performance.counters.map { counter in
            let word = UInt16(clamping: counter)
            return [UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word)]
        }
        return Self.encode(type, counters, layout)
    }

    /// Encodes an engine serial or type approval number of up to seventeen ASCII characters, on CAN only.
    package static func encode(number: String, type: InfoType) -> [[UInt8]] {
        Self.encode(type, [Self.padded(number.utf8, to: Self.numberSize)], .can)
    }

    /// Encodes the number of messages that the InfoType after `type` has on the buses before CAN.
    package static func encode(messageCount count: Int, type: InfoType) -> [[UInt8]] {
        [[Service.vehicleInformation.positiveResponse, type.rawValue, UInt8(clamping: count)]]
    }

    /// Encodes the bitmap of the supported InfoTypes.
    package static func encode(supported: [InfoType], layout: MessageLayout) -> [[UInt8]] {
        let bitmap = supported.filter { $0 != .supported }.reduce(0) { $0 | Self.mask(of: $1) }
        let head = [Service.vehicleInformation.positiveResponse, InfoType.supported.rawValue]
        return [head + (layout == .can ? [] : [1]) + Self.bytes(bitmap)]
    }

    private static func encode(_ type: InfoType, _ items: [[UInt8]], _ layout: MessageLayout) -> [[UInt8]] {
        let head = [Service.vehicleInformation.positiveResponse, type.rawValue]
        let items = items.prefix(Int(UInt8.max))
        switch layout {
        case .can:
            return [head + [UInt8(items.count)] + Array(items.joined())]
        case .legacy:
            // The number of a message has one byte.
            let bytes = Array(items.joined().prefix(4 * Int(UInt8.max)))
            return stride(from: 0, to: bytes.count, by: 4).map { start -> [UInt8] in
                head + [UInt8(start / 4 + 1)] + bytes.dropFirst(start).prefix(4)
            }
        }
    }

    private static func padded(_ text: String.UTF8View, to size: Int) -> [UInt8] {
        let bytes = Array(text.prefix(size))
        return bytes + [UInt8](repeating: 0, count: size - bytes.count)
    }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
