// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import ELM327
import EventLoop
import OBD2

/// A detection of the model through an adapter.
struct ModelDetectionRun {
    /// The pause after each request, so that the vehicle gets at most five a second.
    private static let pause = Duration.milliseconds(200)
    /// The longest time of a detection.
    private static let timeout = Duration.seconds(60)

    private let reader: DirectReader

    init(_ reader: DirectReader) {
        self.reader = reader
    }

    /// Asks the vehicle for requests of the models until they are told apart.
    func detect(_ search: ModelSearch) async throws -> ModelDetection {
        let clock = SystemClock(trustsSystem: true)
        let deadline = clock.now + Self.timeout
        var detection = ModelDetection(search.candidates)
        var step = detection.begin()
        while case .ask(let request) = step, clock.now < deadline {
            Console.progress("asking \(request), \(detection.counts.all + 1) of at most \(ModelDetection.requestLimit)")
            step = detection.answered(Self.answer(try await self.reader.outcome(of: request)))
            try await self.reader.pause(for: Self.pause)
        }
        return detection
    }

    private static func answer(_ outcome: BusOutcome) -> ModelDetection.Answer {
        switch outcome {
        case .answered(let answers):
            var answer = ModelDetection.Answer.silent
            for ecu in answers.values {
                switch ecu {
                case .positive: return .positive
                case .negative(let code): answer = ModelDetection.Answer(negative: code)
                }
            }
            return answer
        case .noData: return .silent
        default: return .undetermined
        }
    }
}
