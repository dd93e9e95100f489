// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import EventLoop
import Glibc
import OBD2
import Subscriber

extension ObdRemote {
    /// Shows the captures that arrive, and writes each as CSV.
    struct Captures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "captures",
            abstract: "Shows the captures that arrive, each once, until Ctrl-C, and writes each as a file.",
            discussion: """
                Captures that were sent before are in the vehicle's own recording: obd-agent captures.

                Example:
                  obd-remote captures --folder captures --for 1h
                """
        )

        @OptionGroup var choice: VehicleChoice

        @Option(
            name: .long,
            help: "The folder for a CSV file of each capture; it is made if it is missing.",
            completion: .directory
        )
        var folder: String?

        @Flag(name: .long, help: "A row is one reading, and not all readings of one time.")
        var long = false

        @Option(name: .customLong("for"), help: "How long to wait, such as 30s, 5m or 2h (default: until Ctrl-C).")
        var time: TimeSpan?

        func run() async throws {
            if let folder = self.folder { try Self.make(folder) }
            let broker = try self.choice.broker.brokerAccess()
            let vehicle = try await self.choice.known(on: broker)
            var reader = CaptureReader(broker.topics)
            var count = 0
            let following = Following(
                try broker.filters(["events"], of: vehicle),
                until: self.time.map { broker.now + $0.duration }
            )
            let end = self.time.map { "for \($0)" } ?? "until Ctrl-C"
            let start = "waiting for captures of \(vehicle) \(end); those before are in the vehicle's own recording"
            try await broker.followMessages(following, noting: start) { message in
                guard let capture = reader.receive(message) else { return }
                count += 1
                Output.lines([CaptureText.row(count, capture.report, at: capture.time).joined(separator: "  ")])
                guard let folder = self.folder else { return }
                try self.write(capture, to: folder)
            }
            Output.note("\(count.counted("capture")) of \(vehicle)")
        }

        /// Makes the folder if it is missing.
        ///
        /// A folder that cannot be made is found before a capture arrives.
        private static func make(_ folder: String) throws {
            guard unsafe mkdir(folder, 0o700) != 0 else { return }
            let number = errno
            guard number != EEXIST || !TextFile.isDirectory(folder) else { return }
            throw CommandFailure(
                .cannotCreate,
                "the folder \(folder) can't be made: \(unsafe String(cString: strerror(number)))",
                next: "another --folder."
            )
        }

        private func write(_ capture: CaptureReader.Record, to folder: String) throws {
            // The name of a vehicle may have any character; that of a file has plain ones.
            let name = capture.vehicle.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
            let path = "\(folder)/\(String(name))-\(capture.number.epoch)-\(capture.number.seq).csv"
            let file = try OutputFile(path, replacing: true)
            try file.write(
                capture.report.table(
                    of: capture.vehicle,
                    at: capture.time,
                    clock: capture.clock,
                    isWide: !self.long,
                    as: .csv,
                    unit: Parameter.symbol(ofSeries:)
                )
            )
            try file.close()
            Output.note(path)
        }
    }
}
