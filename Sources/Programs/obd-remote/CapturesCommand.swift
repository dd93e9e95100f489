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
                --earlier has the vehicle send the events of its last ten runs again, at most 1,000 of each and four a \
                second, and so their captures. All that it has recorded is at the vehicle: obd-agent captures.

                Examples:
                  obd-remote captures --folder captures --for 1h
                  obd-remote captures --earlier
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

        @Flag(name: .long, help: "Also the captures that the vehicle has sent before. The agent must allow resend.")
        var earlier = false

        @Option(
            name: .long,
            help: "With --earlier: the private key that signs the command, a JWK file (default: unsigned).",
            completion: .file()
        )
        var signingKey: String?

        @Option(name: .customLong("for"), help: "How long to wait, such as 30s, 5m or 2h (default: until Ctrl-C).")
        var time: TimeSpan?

        func validate() throws {
            guard self.earlier || self.signingKey == nil else {
                throw ValidationError("--signing-key needs --earlier, which is the only thing that is signed")
            }
        }

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
            let key = try OptionValue(self.signingKey, of: "--signing-key").map { try KeyFile.read($0.text) }
            // A client of its own: two connections with one client id would end each other.
            let source = RemoteVehicle(
                broker: try self.choice.broker.brokerAccess(),
                name: vehicle,
                key: key,
                validity: .seconds(300)
            )
            let end = self.time.map { "for \($0)" } ?? "until Ctrl-C"
            let (starts, start) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                if self.earlier {
                    group.addTask { for await _ in starts.prefix(1) { await EarlierEvents(of: source).request() } }
                }
                try await broker.followMessages(
                    following,
                    started: {
                        Output.note("waiting for captures of \(vehicle) \(end)")
                        start.yield()
                    }
                ) { message in
                    guard let capture = reader.receive(message) else { return }
                    count += 1
                    Output.lines([CaptureText.row(count, capture.report, at: capture.time).joined(separator: "  ")])
                    guard let folder = self.folder else { return }
                    try self.write(capture, to: folder)
                }
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
