// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
import Parking

// The polls that show whether the vehicle is in use, and the short list of a charge.
extension SessionAgenda {
    /// A value that shows whether the vehicle is in use, and the poll that reads it.
    struct Sign: Sendable {
        let source: UseSign.Source
        let item: PollItem
    }

    /// Returns the signs that the vehicle supports.
    func supportedSigns() -> [Sign] {
        UseSign.Kind.allCases.flatMap { kind in
            let standard: [ParameterKey] =
                switch kind {
                case .engineSpeed: [.pid(0x0C)]
                case .vehicleSpeed: [.pid(0x0D)]
                case .ready, .charging: []
                }
            return (standard + self.customKeys(with: kind.role)).compactMap { key in
                self.item(for: key).map { Sign(source: UseSign.Source(kind, key.name), item: $0) }
            }
        }
    }

    /// Returns the custom parameters that have a role, and whose address is on the bus of the vehicle.
    ///
    /// The adapter may be unable to reach some of them.
    func customKeys(with role: ParameterRole) -> [ParameterKey] {
        self.custom.parameters.filter { $0.value.role == role && self.custom.isOnBus($0.key, self.identity.bus) }
            .keys.sorted().map(ParameterKey.custom)
    }

    /// Polls only these parameters, besides the requests that identify the vehicle; nil polls the selection again.
    package mutating func limit(to short: Selection?) {
        guard self.short != short else { return }
        self.short = short
        self.applySelection()
    }
}

extension UseSign.Kind {
    /// The role of the parameters that have signs of this kind.
    var role: ParameterRole {
        switch self {
        case .engineSpeed: .engineSpeed
        case .vehicleSpeed: .vehicleSpeed
        case .ready: .ready
        case .charging: .charging
        }
    }
}

extension FieldValue {
    /// The sign of use that the value is; nil if it is none.
    var sign: UseSign? {
        switch (self.field.role, self.value) {
        case (.engineSpeed, .number(let speed)): .engineSpeed(speed)
        case (.vehicleSpeed, .number(let speed)): .vehicleSpeed(speed)
        case (.ready, let value): self.field.truth(of: value).map { .ready($0) }
        case (.charging, let value): self.field.truth(of: value).map { .charging($0) }
        default: nil
        }
    }
}
