// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The frames of a CAN bus that carry a value, and that a node of the vehicle sends without a request.
package struct FrameSource: Hashable, Sendable {
    /// The frames among those with the identifier that carry the value; nil: all of them.
    ///
    /// Nodes send different signals in turn under one identifier. A number in the frame tells which ones it has (in a DBC
    /// file, `M` marks that number, and `m3` the signals of the frames in which it is 3).
    package struct Multiplex: Hashable, Sendable {
        /// The number that tells which signals a frame has.
        package let multiplexor: Formula
        package let value: Int

        package init(_ multiplexor: Formula, is value: Int) {
            self.multiplexor = multiplexor
            self.value = value
        }
    }

    /// The CAN identifier, of 11 bits or 29.
    package let identifier: UInt32
    package let isExtended: Bool
    package let multiplex: Multiplex?

    /// - Returns: nil if the header is not that of a CAN frame.
    package init?(_ header: Destination.Header, multiplex: Multiplex? = nil) {
        switch header {
        case .can11(let identifier): (self.identifier, self.isExtended) = (UInt32(identifier), false)
        case .can29(let identifier): (self.identifier, self.isExtended) = (identifier, true)
        case .legacy: return nil
        }
        self.multiplex = multiplex
    }

    /// Whether the identifier is one of on-board diagnostics, whose frames are parts of requests and replies.
    ///
    /// ISO 15765-4 has 7DF to 7EF; with 29 bits, ISO 15765-2 has the formats DA and DB.
    package var isDiagnostic: Bool {
        self.isExtended ? [0xDA, 0xDB].contains(self.identifier >> 16 & 0xFF) : 0x7DF...0x7EF ~= self.identifier
    }

    /// Whether a frame with the identifier has the value.
    func carries(_ data: Span<UInt8>) -> Bool {
        guard let multiplex else { return true }
        return multiplex.multiplexor.evaluate(data) == Double(multiplex.value)
    }
}

extension FrameSource: CustomStringConvertible {
    /// The identifier as in the configuration: `1A0`, `18FEF100`.
    package var identifierText: String {
        let header = self.isExtended ? Destination.Header.can29(self.identifier) : .can11(UInt16(self.identifier))
        return header.description
    }

    /// The identifier, and the number of a multiplexed frame: `frame 1A0`, `frame 1A0 m3`.
    package var description: String {
        "frame \(self.identifierText)" + (self.multiplex.map { " m\($0.value)" } ?? "")
    }
}

extension FrameSource: Comparable {
    package static func < (left: FrameSource, right: FrameSource) -> Bool { left.description < right.description }
}
