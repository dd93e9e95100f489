// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A positive reply of one ECU, checked against the request that it answers.
package struct Reply: Hashable, Sendable {
    /// The request that the reply answers.
    package let request: Request
    /// The whole payload of each message, service byte first, in order.
    ///
    /// A reply has one message on CAN, and for services 01 and 02 on every bus. On the older buses, replies with codes
    /// and vehicle information have several messages.
    package let messages: [[UInt8]]

    /// Checks the messages of one ECU against `request`.
    ///
    /// Messages of "response pending" are ignored if another message follows.
    ///
    /// - Throws: `.negative` if the ECU refused, `.empty`, `.wrongService`, `.wrongEcho`; `.tooManyMessages` if a
    ///   service with one message got different ones.
    package init(messages: [[UInt8]], to request: Request) throws(DecodingError) {
        let answers = messages.filter { NegativeResponse(payload: $0)?.code != .responsePending }
        // If all messages are "response pending", the reply is that refusal.
        let checked = answers.isEmpty ? messages : answers
        guard !checked.isEmpty else { throw .empty }
        for message in checked {
            try Self.check(message, request)
        }
        self.request = request
        self.messages = checked
        switch request.service {
        case .confirmedCodes, .pendingCodes, .permanentCodes, .vehicleInformation, .monitorTests, .oxygenSensorTests:
            break
        case .currentData, .freezeFrame, .clearCodes, .control:
            _ = try self.singleMessageData
        }
    }

    private static func check(_ message: [UInt8], _ request: Request) throws(DecodingError) {
        guard let first = message.first else { throw .empty }
        let expected = request.service.positiveResponse
        if first == NegativeResponse.marker {
            guard let negative = NegativeResponse(payload: message) else {
                throw .wrongLength(expected: 3...3, actual: message.count)
            }
            guard negative.service == request.service.rawValue else {
                throw .wrongService(expected: expected, actual: negative.service | 0x40)
            }
            throw .negative(negative)
        }
        guard first == expected else { throw .wrongService(expected: expected, actual: first) }
        let echo = message.dropFirst().prefix(request.echo.count)
        guard echo.elementsEqual(request.echo) else {
            throw .wrongEcho(expected: request.echo, actual: Array(echo))
        }
        if request.pids.count > 1, !message.dropFirst().prefix(1).contains(where: request.data.contains) {
            throw .wrongEcho(expected: request.data, actual: Array(message.dropFirst().prefix(1)))
        }
    }

    /// The bytes after the service byte of the first message, for ``CurrentData/walk(_:requested:frame:)``.
    package var body: [UInt8] {
        Array(self.messages[0].dropFirst())
    }

    /// The bytes after the service byte and the echo of the first message: the data of one PID.
    package var data: [UInt8] {
        Array(self.messages[0].dropFirst(1 + self.request.echo.count))
    }

    /// The bytes after the service byte and the echo, for each message.
    var parts: [ArraySlice<UInt8>] {
        self.messages.map { $0.dropFirst(1 + self.request.echo.count) }
    }

    /// The data of a reply with one message.
    ///
    /// Some adapters repeat a message, so equal messages count as one.
    ///
    /// - Throws: `.tooManyMessages` if messages differ.
    var singleMessageData: [UInt8] {
        get throws(DecodingError) {
            guard self.messages.allSatisfy({ $0 == self.messages[0] }) else {
                throw .tooManyMessages(Set(self.messages).count)
            }
            return self.data
        }
    }
}
