// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// A request of a signal set.
struct SignalCommand: Hashable, Sendable {
    /// The service and its data, in hexadecimal digits.
    let request: String
    let address: SignalAddress
    /// Whether the set wants the flow control frame configured.
    let setsFlowControl: Bool
    /// The adapter's timeout for the reply; nil for the default.
    let timeout: Duration?
    /// The poll interval that the set proposes, in seconds.
    let interval: Double
    private let session: String?
    private let years: Years?
    private let unknownKey: String?

    private struct Years: Hashable, Sendable {
        var first: Int?
        var last: Int?
        var single: Set<Int> = []
    }

    private static let keys: Set<String> = [
        "hdr", "rax", "eax", "pri", "tst", "tmo", "fcm1", "dbg", "din", "dout", "cmd", "freq", "proto", "filter",
        "dbgfilter", "signals",
    ]
    /// The diagnostic session that every ECU is in by default (ISO 14229-1).
    private static let defaultSession = "01"

    init(_ node: JSONNode) throws(SignalSetError) {
        let commands = try node.required("cmd")
        guard let service = try commands.members.keys.first, try commands.members.count == 1, service.utf8.count == 2,
            service.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw commands.error("one service with its data, as in {\"22\": \"F190\"}")
        }
        self.request = service.uppercased() + (try commands.required(service).digits(0...12))
        self.address = try SignalAddress(node)
        self.setsFlowControl = try node.optional("fcm1")?.flag ?? false
        // The adapter counts in steps of 4.096 ms.
        self.timeout = try node.optional("tmo")?.digits(2...2).hexadecimalValue
            .map { .milliseconds(max(1, $0) * 4096 / 1000) }
        let interval = try node.required("freq")
        self.interval = try interval.number
        guard self.interval > 0 else { throw interval.error("a number above zero") }
        let session = try node.optional("din")?.digits(2...2)
        self.session = session == Self.defaultSession ? nil : session
        self.years = try node.optional("filter").map { (filter) throws(SignalSetError) in
            var years = Years()
            years.first = try filter.optional("from")?.integer(in: 1900...2200)
            years.last = try filter.optional("to")?.integer(in: 1900...2200)
            for year in try filter.optional("years")?.elements ?? [] {
                years.single.insert(try year.integer(in: 1900...2200))
            }
            return years
        }
        self.unknownKey = try node.unknownKeys(Self.keys).first
    }

    /// Whether the request applies to model year `year`.
    ///
    /// A filter whose last year lies before its first excludes the years between the two.
    func applies(toYear year: Int) -> Bool {
        guard let years = self.years else { return true }
        if years.single.contains(year) { return true }
        switch (years.first, years.last) {
        case (let first?, let last?): return first <= last ? first...last ~= year : year >= first || year <= last
        case (let first?, nil): return year >= first
        case (nil, let last?): return year <= last
        case (nil, nil): return false
        }
    }

    /// Returns the ECU to ask, nil for all ECUs; throws the reason if the agent cannot poll the request.
    ///
    /// - Parameters:
    ///   - year: the model year of the vehicle; nil if it does not matter.
    ///   - distance: the difference between the 11-bit identifiers of reply and request that the manufacturer keeps.
    func destination(year: Int?, distance: Int?) throws(SignalRefusal) -> Destination? {
        if let unknownKey {
            throw SignalRefusal(.unknownKey, "its request has the unknown key \"\(unknownKey.prefix(bytes: 40))\"")
        }
        if let session {
            let reason = "its request needs diagnostic session \(session), which this agent never opens"
            throw SignalRefusal(.session, reason)
        }
        if let year, !self.applies(toYear: year) {
            throw SignalRefusal(.modelYear, "it is not for model year \(year)")
        }
        let destination = try self.address.destination(distance: distance)
        guard self.payload.count * 2 == self.request.utf8.count else {
            throw SignalRefusal(.request, "its request \(self.request) has an odd number of digits")
        }
        do throws(CustomRequestError) {
            _ = try CustomRequest(payload: self.payload, destination: destination)
        } catch {
            throw SignalRefusal(.request, error.description)
        }
        return destination
    }

    /// Returns whether a reply with `count` bytes of data comes in more than one frame.
    func isLong(_ count: Int, from destination: Destination?) -> Bool {
        let echo = (try? CustomRequest(payload: self.payload, destination: destination))?.echo.count ?? 0
        return 1 + echo + count > (destination?.extendedAddress == nil ? 7 : 6)
    }

    /// The service and its data, without a digit that has no partner.
    var payload: [UInt8] {
        stride(from: 0, to: self.request.utf8.count, by: 2).compactMap { index in
            String(self.request.dropFirst(index).prefix(2)).hexadecimalValue.map { UInt8(truncatingIfNeeded: $0) }
        }
    }
}

extension String {
    /// The value of a string of hexadecimal digits; nil for any other string.
    fileprivate var hexadecimalValue: Int? { Int(self, radix: 16) }
}
