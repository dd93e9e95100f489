// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
import Parking

// The polls that show whether the vehicle is in use, and the short list of a charge.
extension SessionAgenda {
    /// The polls whose values show whether the vehicle is in use, by the kind of their sign.
    var signs: [(kind: UseSign.Kind, item: PollItem)] {
        UseSign.Kind.allCases.flatMap { kind in self.items(with: kind.role).map { (kind, $0) } }
    }

    /// Returns the polls of the parameters that have a role and that the vehicle supports, each once.
    private func items(with role: ParameterRole) -> [PollItem] {
        let standard: [ParameterKey] =
            switch role {
            case .engineSpeed: [.pid(0x0C)]
            case .vehicleSpeed: [.pid(0x0D)]
            default: []
            }
        return (standard + self.customKeys(with: role)).compactMap { self.item(for: $0) }.reduce(into: []) {
            items,
            item in
            if !items.contains(item) { items.append(item) }
        }
    }

    /// Returns the custom parameters that have a role and that the vehicle supports.
    func customKeys(with role: ParameterRole) -> [ParameterKey] {
        self.custom.parameters.filter { $0.value.role == role }.keys.sorted().map(ParameterKey.custom)
            .filter { self.item(for: $0) != nil }
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
