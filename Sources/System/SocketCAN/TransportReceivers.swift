// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The sockets of ISO 15765-2 that are open on this machine, whichever program has opened them.
package enum TransportReceivers {
    /// Whether a program receives the replies of ECUs on an interface, as a tester does.
    ///
    /// The kernel lists all receivers in `/proc/net/can`, for every user.
    package static func hasTester(on interface: String) -> Bool {
        ["rcvlist_sff", "rcvlist_eff"].contains { name in
            TextFile.read("/proc/net/can/\(name)").map { Self.hasTester(on: interface, in: $0) } ?? false
        }
    }

    /// Whether a list of the kernel has a tester: interface, identifier, mask, function, data, matches, kind of socket.
    static func hasTester(on interface: String, in list: String) -> Bool {
        list.split(whereSeparator: \.isNewline).contains { line in
            let words = line.split(separator: " ")
            guard words.count == 7, words[0] == interface, words[6] == "isotp",
                let number = UInt32(words[1], radix: 16)
            else { return false }
            // ISO 15765-4: the replies to OBD requests. The highest bit marks 29 bits.
            return 0x7E8...0x7EF ~= number || number & 0x9FFF_FF00 == 0x98DA_F100
        }
    }
}
