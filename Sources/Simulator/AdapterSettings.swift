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
    /// `AT CEA`: an address byte before the data, which none of our ECUs listens to.
    var extendedAddress: UInt8?
    /// `AT FC SH` and `AT FC SD` have been given, which mode 1 needs.
    var flowControlHeader = false
    var flowControlData = false

    /// How long to wait for one more reply if nothing has been learned.
    var wait: Duration { .microseconds(4096 * Int64(self.timeout == 0 ? 0x32 : self.timeout)) }
}

/// Which bus the adapter is to use: `AT SP`.
struct ProtocolChoice: Hashable, Sendable {
    /// Search for another one if `number` does not answer.
    var automatic = true
    /// 0 for none, 1 to 9 as ``BusProtocol`` has them, 10 to 12 for J1939 and the user's CAN.
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
            case 10: "SAE J1939 (CAN 29/250)"
            case 11: "USER1 (CAN 11/125)"
            case 12: "USER2 (CAN 11/50)"
            default: BusProtocol(rawValue: self.number)?.title ?? ""
            }
        guard self.automatic else { return name }
        return name.isEmpty ? "AUTO" : "AUTO, \(name)"
    }
}
