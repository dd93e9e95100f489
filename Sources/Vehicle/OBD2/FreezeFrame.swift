// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The coding of freeze frames: the values that an ECU stored together with a code (SAE J1979, service 02).
///
/// ``Parameter`` decodes the data of a PID, which have the same layout as in service 01.
package enum FreezeFrame {
    /// The PID whose data are the code that caused the frame.
    package static let codePID: PID = 0x02

    /// Returns the code that caused the frame, from the reply to PID 02; nil if no frame is stored.
    ///
    /// - Throws: `.wrongLength`, `.wrongEcho` if the reply is about another PID.
    package static func code(_ reply: Reply) throws(DecodingError) -> DTC? {
        guard reply.request.service == .freezeFrame, reply.request.data.first == Self.codePID.rawValue else {
            throw .wrongEcho(expected: [Self.codePID.rawValue], actual: Array(reply.request.data.prefix(1)))
        }
        let data = reply.data
        guard data.count == 2 else { throw .wrongLength(expected: 2...2, actual: data.count) }
        let code = DTC(data[0], data[1])
        return code.rawValue == 0 ? nil : code
    }

    /// Returns the payload with which an ECU reports these PIDs of a frame.
    package static func encode(_ parts: [(pid: PID, data: [UInt8])], frame: UInt8) -> [UInt8] {
        [Service.freezeFrame.positiveResponse] + parts.flatMap { [$0.pid.rawValue, frame] + $0.data }
    }
}
