// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Sends raw requests to the vehicle.
    struct Raw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "raw",
            abstract: "Sends raw requests. Needs an engineer's key, and an agent that allows raw_request.",
            discussion: """
                Example:
                  obd-remote raw 0902 22F190 --ecu 7E0 --hold 1m
                """
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "Requests of at most seven bytes, in hexadecimal digits: the service, then its data.")
        var requests: [String]

        @Option(
            name: .long,
            help: "The request address of the only ECU to ask, such as 7E0 (default: all ECUs)."
        )
        var ecu: String?

        @Option(
            name: .long,
            help: "How long to suspend polling afterwards, so that more requests can follow, up to 5m."
        )
        var hold: TimeSpan?

        func validate() throws {
            try validated { () throws(ArgumentProblem) in
                try RawWords.check(self.requests, ecu: self.ecu, hold: self.hold?.duration.seconds)
            }
        }

        func run() async throws {
            var arguments: [String: JSON] = ["requests": .array(self.requests.map { .string($0.uppercased()) })]
            arguments["ecu"] = self.ecu.map { .string($0.uppercased()) }
            arguments["hold"] = self.hold.map { .number($0.duration.seconds) }
            try await self.options.perform("raw_request", arguments) { result in
                result["requests"].elements.flatMap(Self.lines)
            }
        }

        /// Returns a line for each answer to a request, or the reason why there is none.
        private static func lines(of exchange: JSON) -> [String] {
            let request = exchange["request"].shown
            let answers = exchange["answers"].members.flatMap { ecu, answer in
                guard answer["code"] == .null else {
                    return ["\(request)  \(ecu)  \(answer["code"].shown): \(answer["refusal"].shown)"]
                }
                return answer["messages"].elements.map { message in
                    "\(request)  \(ecu)  \(message.shown)\(answer["truncated"] == true ? " and more" : "")"
                }
            }
            return answers.isEmpty ? ["\(request)  \(exchange["problem"].string ?? "no answer")"] : answers
        }
    }
}
