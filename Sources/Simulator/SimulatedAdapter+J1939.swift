// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327
internal import OBD2

/// Protocol A (J1939): requests for parameter groups by number, and monitoring of their broadcasts.
extension SimulatedAdapter {
    /// The time for which broadcasts are computed in advance.
    ///
    /// The client may stop monitoring earlier.
    private static let horizon = Duration.seconds(60)

    /// Prints the answers to a request for a group, or its broadcasts.
    mutating func runGroupRequest(
        _ request: AdapterRequest,
        _ fault: InjectedFault?,
        _ exchange: inout PrintedReply,
        _ vehicle: SimulatedVehicle
    ) {
        let sent = exchange.end
        let isOnBus = vehicle.bus == .j1939 && fault != .noData && request.bytes.count == 3
        var messages: [GroupMessage] = []
        if isOnBus {
            // The most significant byte comes first, unless `AT JS` was given.
            let bytes =
                self.settings.reversesGroups || request.isMonitoring ? request.bytes : Array(request.bytes.reversed())
            let group = PGN(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
            if case .lateReply(let earlier) = fault {
                let group = PGN(rawValue: earlier.reduce(0) { $0 << 8 | UInt32($1) })
                messages += vehicle.answers(to: group, at: sent - .milliseconds(25))
            }
            if !request.isMonitoring { messages += vehicle.answers(to: group, at: sent) }
            messages += vehicle.broadcasts(of: group, from: sent, until: sent + Self.horizon)
        }
        messages.sort { $0.time < $1.time }
        if request.isMonitoring, request.count > 0 { messages = Array(messages.prefix(request.count)) }
        var frames = messages.flatMap(\.frames).sorted { $0.time < $1.time }
        if fault == .lostFrame, frames.count > 2 { frames.remove(at: 2) }
        if case .negative(let code) = fault, isOnBus {
            let acknowledgment = [code, 0xFF, 0xFF, 0xFF, 0xFF] + request.bytes.reversed()
            frames = [(0x18E8_FF00, acknowledgment, sent + .milliseconds(20))]
        }
        var lastTime = sent
        for (index, frame) in frames.enumerated() {
            guard request.isMonitoring || frame.time <= lastTime + self.settings.replyTimeout else { break }
            exchange.end = frame.time
            exchange.appendData(self.settings.groupLine(frame.identifier, frame.data))
            lastTime = frame.time
            if !request.isMonitoring, request.count > 0, index + 1 == request.count { return }
        }
        if request.isMonitoring {
            exchange.isEndless = request.count == 0 || messages.isEmpty
        } else {
            if frames.isEmpty { exchange.appendText("NO DATA") }
            exchange.end = lastTime + self.settings.replyTimeout
        }
    }
}

extension AdapterSettings {
    /// Returns the line that an adapter prints for a J1939 frame.
    fileprivate func groupLine(_ identifier: UInt32, _ data: [UInt8]) -> String {
        let space = self.spaces ? " " : ""
        let text = data.map { $0.hexadecimal + space }.joined()
        guard self.headers else { return text }
        guard self.formatsGroups else {
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> $0).hexadecimal + space }.joined()
                + text
        }
        let digits = (identifier >> 8 & 0x3_FFFF).hexadecimal(digits: 5)
        let source = UInt8(truncatingIfNeeded: identifier).hexadecimal
        return "\(identifier >> 26)\(space)\(digits)\(space)\(source)\(space)\(text)"
    }
}
