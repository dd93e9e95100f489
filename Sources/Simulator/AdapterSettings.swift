// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327

/// The settings that the `AT` commands of an ELM327 change.
///
/// The initial values are those after a reset and after `AT D`.
struct AdapterSettings: Sendable {
    var echo = true
    var linefeeds = false
    var spaces = true
    var headers = false
    var lengthDigit = false
    var formatting = true
    var flowControl = true
    var longMessages = false
    var responses = true
    var memory = true
    /// `AT AT`: 0 waits for the whole timeout; 1 and 2 adapt the wait to the latency of the ECUs.
    var adaptive = 1
    /// `AT ST`, in steps of 4.096 ms.
    var timeout: UInt8 = 0x32
    /// `AT SH`: 3 bytes, or none for the protocol's own functional header.
    var header: [UInt8]?
    /// `AT CP`: the upper 5 bits of a 29-bit identifier.
    var priority: UInt8 = 0x18
    /// `AT CRA`: hexadecimal digits, and X for any digit.
    var receiveAddress: [Character]?
    /// `AT CF` and `AT CM`.
    var filter: UInt32?
    var mask: UInt32?
    /// `AT CEA`: an address byte before the data.
    var extendedAddress: UInt8?
    /// The header of flow control frames by `AT FC SH`, which mode 1 needs.
    var flowControlHeader: UInt32?
    /// The data of flow control frames by `AT FC SD`, which modes 1 and 2 need; empty if they are not set.
    var flowControlData: [UInt8] = []
    /// `AT FC SM`: 0 for the adapter's own flow control.
    var flowControlMode = 0
    /// Whether a 29-bit identifier is printed without spaces, even with `AT S1`.
    var joinsIdentifier = false

    /// The time between two frames of an ECU, as the flow control frame requests it (ISO 15765-2, STmin).
    var separation: Duration {
        let minimum = self.flowControlMode != 0 && self.flowControlData.count == 3 ? self.flowControlData[2] : 0
        return .milliseconds(minimum <= 0x7F ? max(1, Int(minimum)) : 1)
    }

    /// `AT JHF1`: priority and group of a J1939 identifier are printed as separate fields.
    var formatsGroups = true
    /// `AT JE`: groups in requests have their most significant byte first.
    var reversesGroups = true

    /// The longest time to wait for one more reply: `AT ST`, or its default.
    var replyTimeout: Duration { .microseconds(4096 * Int64(self.timeout == 0 ? 0x32 : self.timeout)) }

    /// Returns the time to wait for one more frame, where the longest recent latency of an ECU is `learned`.
    ///
    /// - Parameter isHasty: whether `AT AT2` hardly waits.
    func frameTimeout(_ learned: Duration?, isCAN: Bool, isHasty: Bool) -> Duration {
        let longest = self.replyTimeout
        guard let learned else { return longest }
        return switch self.adaptive {
        // The latencies of ECUs on CAN differ less than those on other buses.
        case 1: min(longest, learned * 2 + .milliseconds(isCAN ? 20 : 40))
        case 2: isHasty ? .milliseconds(1) : min(longest, learned * 3 / 2 + .milliseconds(16))
        default: longest
        }
    }
}

extension AdapterSettings {
    /// Applies a command that changes one of these settings.
    mutating func apply(_ command: ATCommand) {
        switch command {
        case .header(let header): self.header = header
        case .priority(let priority): self.priority = priority
        case .receiveAddress(let address):
            self.receiveAddress = address
            if address == nil {
                self.filter = nil
                self.mask = nil
            }
        case .filter(let filter): self.filter = filter
        case .mask(let mask): self.mask = mask
        case .extendedAddress(let address): self.extendedAddress = address
        case .flowControlHeader(let header): self.flowControlHeader = header
        case .flowControlData(let data): self.flowControlData = data
        case .timeout(let timeout): self.timeout = timeout
        case .adaptive(let mode): self.adaptive = mode
        case .toggle(let toggle, let value): self.set(toggle, value)
        default: break
        }
    }

    /// Switches a setting on or off.
    private mutating func set(_ toggle: ATCommand.Toggle, _ value: Bool) {
        switch toggle {
        case .echo: self.echo = value
        case .linefeeds: self.linefeeds = value
        case .spaces: self.spaces = value
        case .headers: self.headers = value
        case .lengthDigit: self.lengthDigit = value
        case .formatting: self.formatting = value
        case .flowControl: self.flowControl = value
        case .longMessages: self.longMessages = value
        case .responses: self.responses = value
        case .memory: self.memory = value
        case .formatsGroups: self.formatsGroups = value
        case .reversesGroups: self.reversesGroups = value
        }
    }
}

/// The bus that the adapter uses: `AT SP`.
struct SelectedProtocol: Hashable, Sendable {
    /// Whether the adapter searches for another bus if `number` does not answer.
    var automatic = true
    /// 0 for none, 1 to 10 as in ``BusProtocol``, 11 and 12 for the user-defined CAN.
    var number: UInt8 = 0

    /// The text that `AT DPN` prints.
    var code: String {
        (self.automatic ? "A" : "") + String(self.number, radix: 16, uppercase: true)
    }

    /// The text that `AT DP` prints.
    var title: String {
        let name =
            switch self.number {
            case 0: ""
            case BusProtocol.j1939.rawValue: "SAE J1939 (CAN 29/250)"
            case 11: "USER1 (CAN 11/125)"
            case 12: "USER2 (CAN 11/50)"
            default: BusProtocol(rawValue: self.number)?.title ?? ""
            }
        guard self.automatic else { return name }
        return name.isEmpty ? "AUTO" : "AUTO, \(name)"
    }
}
