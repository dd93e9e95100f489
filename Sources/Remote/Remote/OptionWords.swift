// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The options and arguments of `obd-remote`, for errors of an agent that name the place in a command's JSON.
package enum OptionWords {
    private static let start = "$.arguments."

    /// The option by the first member of its path, for each command.
    private static let options: [String: [String: String]] = [
        "select_parameters": [
            "set": "--set", "remove": "--remove", "duration": "--for", "expected_version": "--expect-version",
            "strict": "--strict",
        ],
        "boost": ["duration": "--for"],
        "wake": ["duration": "--for"],
        "raw_request": ["requests": "the request", "ecu": "--ecu", "hold": "--hold"],
        "run_test": ["test": "the test", "data": "--data"],
        "record_finding": ["text": "the text", "codes": "--codes", "severity": "--severity"],
        "detect_parameters": ["make": "--make", "year": "--year"],
        "capture": [
            "after": "--after", "duration": "--for", "rule.name": "--rule", "rule.on": "--on", "rule.codes": "--code",
            "rule.when": "--when", "rule.for": "--holds", "rule.interval": "--interval", "rule.after": "--after",
        ],
    ]

    /// Returns the message of an agent with the name of the option in place of the path in JSON.
    package static func message(_ message: String, of command: String) -> String {
        guard message.hasPrefix(Self.start), let end = message.firstRange(of: ": ") else { return message }
        let path = message[..<end.lowerBound].dropFirst(Self.start.count)
        let text = message[end.upperBound...]
        let parts = path.split(separator: ".", maxSplits: 1).map { part in String(part.prefix { $0 != "[" }) }
        let known = Self.options[command] ?? [:]
        let pair = parts.count == 2 ? known[parts.joined(separator: ".")] : nil
        let first = parts.first ?? ""
        guard let option = pair ?? known[first] else {
            // The name of a parameter says enough.
            guard path.hasPrefix("parameters") || path.hasPrefix("rule.parameters") else { return message }
            return parts.count == 2 && first == "parameters" ? "\(parts[1]): \(text)" : String(text)
        }
        return parts.count == 2 && pair == nil ? "\(option) \(parts[1]): \(text)" : "\(option): \(text)"
    }
}
