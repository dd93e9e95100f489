// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327

// The form in which the facts are kept for the next process.
extension KnownAdapter {
    /// The version of the form.
    private static let version: JSON = 1

    /// The facts as JSON.
    package var json: JSON {
        var members: [String: JSON] = [
            "v": Self.version, "name": .string(self.report.identity), "bus": self.report.bus.json,
            "unsupported": .array(self.report.unsupported.map(JSON.string)), "assessed": .bool(self.isAssessed),
            "doubtful": .array(self.doubtful.map(\.rawValue).sorted().map(JSON.string)),
        ]
        members["ecus"] = .array(
            self.report.ecus.sorted { $0.key < $1.key }.map { ecu, messages in
                let messages = JSON.array(messages.map { .string($0.hexadecimal(separator: "")) })
                return .object(ecu.json.merging(["messages": messages]) { $1 })
            }
        )
        var capabilities: [String: JSON] = [:]
        for (capability, assessment) in self.report.assessments {
            capabilities[capability.rawValue] =
                switch assessment.verdict {
                case .works: "works"
                case .ignored: "ignored"
                case .refused: "refused"
                case .notTested(let reason): ["not_tested": .string(reason)]
                }
        }
        members["capabilities"] = .object(capabilities)
        members["firmware"] = self.report.firmware.map(JSON.string)
        return .object(members)
    }

    /// - Returns: nil if the JSON is damaged, or of another version of the form.
    package init?(_ json: JSON) {
        guard json["v"] == Self.version, let name = json["name"].string, let assessed = json["assessed"].bool,
            let bus = BusProtocol(json["bus"])
        else { return nil }
        var report = AdapterReport()
        (report.identity, report.bus) = (name, bus)
        report.unsupported = json["unsupported"].elements.compactMap(\.string)
        for element in json["ecus"].elements {
            guard let ecu = ECUAddress(element) else { return nil }
            let messages = element["messages"].elements.compactMap { $0.string.flatMap { [UInt8](hexadecimal: $0) } }
            guard !messages.isEmpty, messages.count == element["messages"].elements.count else { return nil }
            report.ecus[ecu] = messages
        }
        for (name, value) in json["capabilities"].members {
            // A capability that this version does not know is none that it uses.
            guard let capability = Capability(rawValue: name) else { continue }
            guard let verdict = Verdict(value) else { return nil }
            report.assessments[capability] = Assessment(verdict)
        }
        if let firmware = json["firmware"].string, report.works(.stn) {
            let evidence = Assessment.Evidence(request: "STI", outcome: .reply([firmware]), duration: .zero)
            report.assessments[.stn] = Assessment(.works, [evidence])
        }
        let doubtful = json["doubtful"].elements.compactMap { $0.string.flatMap(Capability.init) }
        self.init(lasting: report, isAssessed: assessed, doubtful: Set(doubtful))
    }
}

extension Verdict {
    fileprivate init?(_ json: JSON) {
        switch json {
        case "works": self = .works
        case "ignored": self = .ignored
        case "refused": self = .refused
        default:
            guard let reason = json["not_tested"].string else { return nil }
            self = .notTested(reason)
        }
    }
}

extension BusProtocol {
    /// The protocol in JSON.
    var json: JSON { .integer(Int64(self.rawValue)) }

    /// - Returns: nil if the JSON is no protocol.
    init?(_ json: JSON) {
        guard let number = json.count.flatMap({ UInt8(exactly: $0) }) else { return nil }
        self.init(rawValue: number)
    }
}

extension ECUAddress {
    /// The members of the address in JSON.
    var json: [String: JSON] {
        let (kind, number) = self.parts
        return ["kind": .string(kind.rawValue), "address": .integer(Int64(number))]
    }

    /// - Returns: nil if the JSON is no address.
    init?(_ json: JSON) {
        guard let kind = json["kind"].string.flatMap(Kind.init), let number = json["address"].count else { return nil }
        self.init(kind, number)
    }

    private enum Kind: String {
        case can11, can29, can29Identifier = "can29_identifier", legacy, j1939
    }

    private var parts: (Kind, UInt32) {
        switch self {
        case .can11(let identifier): (.can11, UInt32(identifier))
        case .can29(let address): (.can29, UInt32(address))
        case .can29Identifier(let identifier): (.can29Identifier, identifier)
        case .legacy(let address): (.legacy, UInt32(address))
        case .j1939(let address): (.j1939, UInt32(address))
        }
    }

    private init?(_ kind: Kind, _ number: UInt64) {
        switch kind {
        case .can11:
            guard let identifier = UInt16(exactly: number) else { return nil }
            self = .can11(identifier)
        case .can29Identifier:
            guard let identifier = UInt32(exactly: number) else { return nil }
            self = .can29Identifier(identifier)
        case .can29, .legacy, .j1939:
            guard let address = UInt8(exactly: number) else { return nil }
            self = kind == .can29 ? .can29(address) : kind == .legacy ? .legacy(address) : .j1939(address)
        }
    }
}
