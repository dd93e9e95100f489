// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327

/// What the `AT` commands of an ELM327 set, at the values that a reset and `AT D` give them.
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
    /// `AT AT`: 0 waits the whole timeout, 1 and 2 learn how fast the ECUs answer.
    var adaptive = 1
    /// `AT ST`, in steps of 4.096 ms.
    var timeout: UInt8 = 0x32
    /// `AT SH`: 3 bytes, or none for the protocol's own functional header.
    var header: [UInt8]?
    /// `AT CP`: the upper 5 bits of a 29-bit identifier.
    var priority: UInt8 = 0x18
    /// `AT CRA`: hexadecimal digits and X for any.
    var receiveAddress: [Character]?
    /// `AT CF` and `AT CM`.
    var filter: UInt32?
    var mask: UInt32?
    /// `AT CEA`: an address byte before the data.
    var extendedAddress: UInt8?
    /// `AT FC SH` has been given, and `AT FC SD`, without which there is no mode 1.
    var flowControlHeader = false
    var flowControlData: [UInt8] = []
    /// `AT FC SM`: 0 for the adapter's own flow control.
    var flowControlMode = 0
    /// A 29-bit identifier is printed without spaces, whatever `AT S` says.
    var joinsIdentifier = false

    /// The time that an ECU leaves between two frames: what the flow control frame asks for (ISO 15765-2, STmin).
    var separation: Duration {
        let wish = self.flowControlMode != 0 && self.flowControlData.count == 3 ? self.flowControlData[2] : 0
        return .milliseconds(wish <= 0x7F ? max(1, Int(wish)) : 1)
    }

    /// `AT JHF1`: the priority and the group of a J1939 identifier stand apart.
    var formatsGroups = true
    /// `AT JE`: groups are given as people write them, most significant byte first.
    var reversesGroups = true

    /// How long to wait for one more reply if nothing has been learned.
    var wait: Duration { .microseconds(4096 * Int64(self.timeout == 0 ? 0x32 : self.timeout)) }
}

/// Which bus the adapter is to use: `AT SP`.
struct ProtocolChoice: Hashable, Sendable {
    /// Search for another one if `number` does not answer.
    var automatic = true
    /// 0 for none, 1 to 10 as ``BusProtocol`` has them, 11 and 12 for the user's CAN.
    var number: UInt8 = 0

    /// What `AT DPN` prints.
    var code: String {
        (self.automatic ? "A" : "") + String(self.number, radix: 16, uppercase: true)
    }

    /// What `AT DP` prints.
    var title: String {
        let name =
            switch self.number {
            case 0: ""
            case 11: "USER1 (CAN 11/125)"
            case 12: "USER2 (CAN 11/50)"
            default: BusProtocol(rawValue: self.number)?.title ?? ""
            }
        guard self.automatic else { return name }
        return name.isEmpty ? "AUTO" : "AUTO, \(name)"
    }
}
