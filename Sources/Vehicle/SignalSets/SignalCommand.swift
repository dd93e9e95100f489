// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A request of a signal set.
struct SignalCommand: Hashable, Sendable {
    let request: String
    /// The header of the request, in the digits of the configuration; nil for a request to all ECUs.
    let header: String?
    /// The header of the reply, in the digits of the configuration.
    let receive: String?
    let extendedAddress: String?
    let testerAddress: String?
    let setsFlowControl: Bool
    /// The adapter's timeout, in its steps of 4.096 ms.
    let timeoutSteps: Int?
    /// The poll interval that the set proposes, in seconds.
    let interval: Double
    /// The diagnostic session that the request needs.
    let session: String?
    private let years: Years?

    private struct Years: Hashable, Sendable {
        var first: Int?
        var last: Int?
        var single: Set<Int> = []
    }

    init(_ node: JSONNode) throws(SignalSetError) {
        let commands = try node.required("cmd")
        guard let service = try commands.members.keys.first, try commands.members.count == 1, service.utf8.count == 2,
            service.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw commands.error("one service with its data, as in {\"22\": \"F190\"}")
        }
        self.request = service.uppercased() + (try commands.required(service).digits(0...12))
        let header = try node.required("hdr").digits(3...4)
        let tester = try node.optional("tst")?.digits(2...2)
        let priority = try node.optional("pri")?.digits(2...2) ?? "18"
        let isOld = try node.optional("proto")?.text == "9141-2"
        // Four digits are the target type and the target. The full header adds the priority and the tester.
        let whole = header.utf8.count == 3 ? header : (isOld ? "" : priority) + header + (tester ?? "F1")
        self.header = Destination.Header(whole)?.isFunctional == true ? nil : whole
        let receiver = try node.optional("rax")?.digits(2...6)
        if header.utf8.count == 3 || isOld || self.header == nil {
            self.receive = self.header == nil ? nil : receiver
        } else {
            // A receive address of six digits lacks the priority only.
            self.receive = receiver.map { $0.utf8.count == 6 ? priority + $0 : "18DAF1\($0.suffix(2))" }
        }
        self.extendedAddress = self.header == nil ? nil : try node.optional("eax")?.digits(2...2)
        self.testerAddress = self.extendedAddress == nil ? nil : tester
        self.setsFlowControl = try node.optional("fcm1")?.flag ?? false
        self.timeoutSteps = try node.optional("tmo")?.digits(2...2).hexadecimalValue
        let interval = try node.required("freq")
        self.interval = try interval.number
        guard self.interval > 0 else { throw interval.error("a number above zero") }
        self.session = try node.optional("din")?.digits(2...2)
        self.years = try node.optional("filter").map { (filter) throws(SignalSetError) in
            var years = Years()
            years.first = try filter.optional("from")?.integer(in: 1900...2200)
            years.last = try filter.optional("to")?.integer(in: 1900...2200)
            for year in try filter.optional("years")?.elements ?? [] {
                years.single.insert(try year.integer(in: 1900...2200))
            }
            return years
        }
    }

    /// Whether the request is limited to some model years.
    var hasYearFilter: Bool { self.years != nil }

    /// Whether the request applies to model year `year`.
    ///
    /// A filter whose last year lies before its first excludes the years between the two.
    func applies(toYear year: Int) -> Bool {
        guard let years = self.years else { return true }
        if years.single.contains(year) { return true }
        switch (years.first, years.last) {
        case (let first?, let last?): return first < last ? first...last ~= year : year >= first || year <= last
        case (let first?, nil): return year >= first
        case (nil, let last?): return year <= last
        case (nil, nil): return false
        }
    }

    /// The reason why the agent cannot poll the request; nil if it can.
    var refusal: String? {
        var destination: Destination?
        if let header = self.header {
            guard let first = Destination.Header(header) else { return "its header \(header) is not a bus header" }
            let responder = self.receive.flatMap { Destination.Header($0) }
            guard self.receive == nil || responder != nil else {
                return "its receive address \(self.receive ?? "") is not a bus header"
            }
            destination = Destination(
                header: first,
                responder: responder,
                extendedAddress: self.extendedAddress?.hexadecimalValue.map { UInt8(truncatingIfNeeded: $0) }
            )
            guard destination != nil else { return "its header \(header) does not say which ECU answers" }
            guard first.isDiagnostic else {
                return "its header \(header) is not a diagnostic address. Try: set [adapter] "
                    + "non_diagnostic_headers = true in agent.toml, and write the parameter by hand"
            }
        }
        let payload = stride(from: 0, to: self.request.utf8.count, by: 2).compactMap { index in
            String(self.request.dropFirst(index).prefix(2)).hexadecimalValue.map { UInt8(truncatingIfNeeded: $0) }
        }
        guard payload.count * 2 == self.request.utf8.count else {
            return "its request \(self.request) has an odd number of digits"
        }
        do {
            _ = try CustomRequest(payload: payload, destination: destination)
            return nil
        } catch {
            return error.description
        }
    }
}

extension String {
    /// The value of a string of hexadecimal digits; nil for any other string.
    fileprivate var hexadecimalValue: Int? { Int(self, radix: 16) }
}
