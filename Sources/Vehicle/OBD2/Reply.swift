// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A positive reply of one ECU, checked against the request that it answers.
package struct Reply: Hashable, Sendable {
    /// What was asked.
    package let request: Request
    /// The whole payload of each message, service byte first, in order.
    ///
    /// One message on CAN, and for services 01 and 02 anywhere; several for codes and vehicle information on the
    /// older buses.
    package let messages: [[UInt8]]

    /// Takes the messages of one ECU for a reply to `request`.
    ///
    /// Messages that only say "response pending" are passed over if another one follows.
    ///
    /// - Throws: `.negative` if the ECU refused, `.empty`, `.wrongService`, `.wrongEcho`; `.tooManyMessages` if
    ///   messages differ where the service has only one.
    package init(messages: [[UInt8]], to request: Request) throws(DecodingError) {
        let answers = messages.filter { NegativeResponse(payload: $0)?.code != .responsePending }
        // Only "pending" so far: that is the answer.
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
            _ = try self.only
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

    /// What follows the service byte of the first message: what ``CurrentData/walk(_:requested:)`` reads.
    package var body: [UInt8] {
        Array(self.messages[0].dropFirst())
    }

    /// What follows the service byte and the echo of the first message: the data of one PID.
    package var data: [UInt8] {
        Array(self.messages[0].dropFirst(1 + self.request.echo.count))
    }

    /// What follows the service byte and the echo, of each message.
    var parts: [ArraySlice<UInt8>] {
        self.messages.map { $0.dropFirst(1 + self.request.echo.count) }
    }

    /// The data of a reply that has one message.
    ///
    /// The same message again is an adapter's stutter, and harmless.
    var only: [UInt8] {
        get throws(DecodingError) {
            guard self.messages.allSatisfy({ $0 == self.messages[0] }) else {
                throw .tooManyMessages(Set(self.messages).count)
            }
            return self.data
        }
    }
}
