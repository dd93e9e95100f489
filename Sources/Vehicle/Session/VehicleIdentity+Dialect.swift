// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

extension VehicleIdentity {
    /// Returns the bus request for `request` in the dialect of this vehicle; nil if the dialect has none.
    package func busRequest(_ request: Request) -> BusRequest? {
        switch self.dialect.translation(of: request, traits: self.traits) {
        case nil: return nil
        case .message where self.dialect == .j1979: return BusRequest(request, layout: self.layout)
        case .message(let payload, let echo):
            let model = BusRequest(request, layout: self.layout)
            // Identifiers have one byte more than PIDs. The readiness of J1979-2 has its own layout.
            let isData = request.service == .currentData && echo == [0xF4] + request.data
            let lengths = isData ? model.lengths.map { $0.lowerBound + 1...$0.upperBound + 1 } : nil
            return BusRequest(
                payload: payload,
                echo: echo,
                lengths: lengths,
                isSlow: model.isSlow,
                isRepeatable: model.isRepeatable
            )
        case .group(let group):
            // Codes are broadcast once a second, even if there are none. Every other group here is requested.
            let listening = group == .activeCodes ? Duration.milliseconds(1500) : nil
            return BusRequest(group: group.rawValue, listening: listening, isSlow: true)
        }
    }

    /// Whether requests as bytes can be sent to a destination; nil: to all ECUs.
    package func reaches(_ destination: Destination?) -> Bool {
        guard self.dialect != .j1939 else { return false }
        return destination?.fits(isCAN: self.bus.isCAN, hasExtendedIdentifiers: self.bus.hasExtendedIdentifiers) ?? true
    }

    /// Returns the bus request for a question in the dialect of this vehicle; nil if the dialect has none.
    package func busRequest(_ question: SessionAgenda.Question) -> BusRequest? {
        if case .poll(.group(let pgn)) = question {
            // Twice the interval of the broadcast, and 300 ms for the adapter.
            let listening = ParameterGroup.withPGN(pgn)?.interval.map { $0 * 2 + .milliseconds(300) }
            return BusRequest(group: pgn.rawValue, listening: listening)
        }
        if case .poll(.custom(let request)) = question { return BusRequest(request) }
        if case .errand(let errand) = question { return self.busRequest(errand) }
        return question.request.flatMap { self.busRequest($0) }
    }

    /// Returns the bus request for an errand in the dialect of this vehicle; nil if the dialect has none.
    func busRequest(_ errand: Errand) -> BusRequest? {
        switch errand {
        case .addressedVIN(let vin): return BusRequest(vin.request)
        case .readiness: return self.dialect == .j1939 ? BusRequest(group: PGN.readiness.rawValue) : nil
        case .ungroupedCodes:
            var identity = self
            identity.knowsGroups = false
            return identity.busRequest(errand.request)
        default: return self.busRequest(errand.request)
        }
    }

    /// Whether the request for PID 01 asks for the readiness of J1979-2.
    var requestsReadiness: Bool {
        self.dialect == .j1979Part2 && !self.supports(0x01) && self.hasReadiness != false
    }

    /// Returns the positive answers to `request` in the dialect of SAE J1979.
    ///
    /// - Throws: the reason for which one of the answers cannot be translated.
    func classic(_ messages: [[UInt8]], to request: Request) throws(DecodingError) -> [[UInt8]] {
        var classic: [[UInt8]] = []
        for message in messages { classic.append(try self.dialect.j1979Reply(from: message, to: request)) }
        return classic
    }

    /// Returns the result of `request` in the dialect of SAE J1979.
    ///
    /// An answer that cannot be translated counts as dropped.
    func classic(_ result: BusResult, to request: Request) -> BusResult {
        guard self.dialect != .j1979, case .answered(let answers) = result.outcome else { return result }
        var result = result
        var classic: [ECUAddress: ECUReply] = [:]
        for (ecu, answer) in answers {
            switch answer {
            case .negative: classic[ecu] = answer
            case .positive(let messages):
                if let messages = try? self.classic(messages, to: request) {
                    classic[ecu] = .positive(messages)
                } else {
                    result.dropped += 1
                }
            }
        }
        result.outcome = classic.isEmpty ? .unusable(nil) : .answered(classic)
        return result
    }

    private var traits: Dialect.Traits {
        var traits: Dialect.Traits = []
        if self.knowsGroups { traits.insert(.groups) }
        if self.supports(0x01) { traits.insert(.monitorStatus) }
        if self.requestsReadiness { traits.insert(.readiness) }
        return traits
    }
}

extension AdapterReport {
    /// The dialect of the answers to the requests of start-up.
    package var dialect: Dialect {
        if self.bus == .j1939 { return .j1939 }
        let messages = self.ecus.values.flatMap(\.self)
        if messages.contains(where: { $0.starts(with: [0x62, 0xF4, 0x00]) }) { return .j1979Part2 }
        return messages.isEmpty || messages.contains { $0.starts(with: [0x41, 0x00]) } ? .j1979 : .manufacturer
    }
}
