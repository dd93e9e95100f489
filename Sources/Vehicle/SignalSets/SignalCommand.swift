// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A request of a signal set.
struct SignalCommand: Hashable, Sendable {
    let request: String
    /// As the configuration has them; nil asks everybody.
    let header: String?
    let receive: String?
    let extendedAddress: String?
    let testerAddress: String?
    let setsFlowControl: Bool
    /// In the adapter's steps of 4.096 ms.
    let wait: Int?
    /// The seconds between two readings that the set proposes.
    let interval: Double
    /// The diagnostic session that it needs.
    let session: String?
    private let years: Years?

    private struct Years: Hashable, Sendable {
        var first: Int?
        var last: Int?
        var single: Set<Int> = []
    }

    init(_ place: Place) throws(SignalSetError) {
        let commands = try place.required("cmd")
        guard let service = try commands.members.keys.first, try commands.members.count == 1, service.utf8.count == 2,
            service.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw commands.error("one service with its data, as in {\"22\": \"F190\"}")
        }
        self.request = service.uppercased() + (try commands.required(service).digits(0...12))
        let header = try place.required("hdr").digits(3...4)
        let tester = try place.optional("tst")?.digits(2...2)
        let priority = try place.optional("pri")?.digits(2...2) ?? "18"
        let isOld = try place.optional("proto")?.text == "9141-2"
        // Four digits are target type and target; priority and tester stand around them.
        let whole = header.utf8.count == 3 ? header : (isOld ? "" : priority) + header + (tester ?? "F1")
        self.header = Destination.Header(whole)?.isFunctional == true ? nil : whole
        let receiver = try place.optional("rax")?.digits(2...6)
        if header.utf8.count == 3 || isOld || self.header == nil {
            self.receive = self.header == nil ? nil : receiver
        } else {
            // Six digits lack the priority only.
            self.receive = receiver.map { $0.utf8.count == 6 ? priority + $0 : "18DAF1\($0.suffix(2))" }
        }
        self.extendedAddress = self.header == nil ? nil : try place.optional("eax")?.digits(2...2)
        self.testerAddress = self.extendedAddress == nil ? nil : tester
        self.setsFlowControl = try place.optional("fcm1")?.flag ?? false
        self.wait = try place.optional("tmo")?.digits(2...2).hexadecimalValue
        let interval = try place.required("freq")
        self.interval = try interval.number
        guard self.interval > 0 else { throw interval.error("a number above zero") }
        self.session = try place.optional("din")?.digits(2...2)
        self.years = try place.optional("filter").map { (filter) throws(SignalSetError) in
            var years = Years()
            years.first = try filter.optional("from")?.integer(in: 1900...2200)
            years.last = try filter.optional("to")?.integer(in: 1900...2200)
            for year in try filter.optional("years")?.elements ?? [] {
                years.single.insert(try year.integer(in: 1900...2200))
            }
            return years
        }
    }

    /// Whether only some model years have it.
    var isForSomeYears: Bool { self.years != nil }

    /// Whether `year` has it; a last year before the first leaves out what is between them.
    func isFor(year: Int) -> Bool {
        guard let years = self.years else { return true }
        if years.single.contains(year) { return true }
        switch (years.first, years.last) {
        case (let first?, let last?): return first < last ? first...last ~= year : year >= first || year <= last
        case (let first?, nil): return year >= first
        case (nil, let last?): return year <= last
        case (nil, nil): return false
        }
    }

    /// Why it is not polled, if it is not.
    var refusal: String? {
        var destination: Destination?
        if let header = self.header {
            guard let first = Destination.Header(header) else { return "its header \(header) is none" }
            let responder = self.receive.flatMap { Destination.Header($0) }
            guard self.receive == nil || responder != nil else { return "its receive address is none of this bus" }
            destination = Destination(
                header: first,
                responder: responder,
                extendedAddress: self.extendedAddress?.hexadecimalValue.map { UInt8(truncatingIfNeeded: $0) }
            )
            guard destination != nil else { return "who answers to header \(header) is not said" }
            guard first.isDiagnostic else {
                return "its header \(header) is no diagnostic address. Try: write it by hand, "
                    + "with [adapter] non_diagnostic_headers = true in agent.toml"
            }
        }
        let payload = stride(from: 0, to: self.request.utf8.count, by: 2).compactMap { index in
            String(self.request.dropFirst(index).prefix(2)).hexadecimalValue.map { UInt8(truncatingIfNeeded: $0) }
        }
        guard payload.count * 2 == self.request.utf8.count else { return "its request is not whole bytes" }
        do {
            _ = try CustomRequest(payload: payload, destination: destination)
            return nil
        } catch {
            return error.description
        }
    }
}

extension String {
    /// The value of hexadecimal digits.
    fileprivate var hexadecimalValue: Int? { Int(self, radix: 16) }
}
