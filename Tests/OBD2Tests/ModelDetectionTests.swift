// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("Detecting the model")
struct ModelDetectionTests {
    /// Returns requests of service 22 to the ECU at 7E0 plus `ecu`.
    private static func requests(_ identifiers: some Sequence<UInt8>, ecu: UInt16 = 0) throws -> [CustomRequest] {
        let destination = try #require(Destination(header: .can11(0x7E0 + ecu)))
        return try identifiers.map { try CustomRequest(payload: [0x22, 0x10, $0], destination: destination) }
    }

    private static func models(_ requests: (String, ClosedRange<UInt8>)...) throws -> [ModelCandidate] {
        try requests.map { ModelCandidate(model: $0.0, requests: try Self.requests($0.1)) }
    }

    /// Asks a vehicle that answers these requests, and returns the detection and the requests that were asked.
    private static func detect(
        _ candidates: [ModelCandidate],
        answered: Set<CustomRequest>,
        otherwise: ModelDetection.Answer = .refused
    ) -> (ModelDetection, asked: [CustomRequest]) {
        var detection = ModelDetection(candidates)
        var asked: [CustomRequest] = []
        var step = detection.begin()
        while case .ask(let request) = step {
            asked.append(request)
            step = detection.answered(answered.contains(request) ? .positive : otherwise)
        }
        return (detection, asked)
    }

    @Test("The model whose requests are answered comes first, after few requests")
    func best() throws {
        let models = try Self.models(("A", 0...30), ("B", 20...50), ("C", 40...70), ("D", 60...90))
        for (index, model) in models.enumerated() {
            let (detection, asked) = Self.detect(models, answered: Set(model.requests))
            #expect(detection.proposals.first?.model == model.model)
            #expect(detection.proposals.first?.share == 1)
            #expect(asked.count <= 12 && Set(asked).count == asked.count, "\(index)")
        }
    }

    @Test("The first request divides the models, and none that all models have comes before")
    func dividing() throws {
        let models = try Self.models(("A", 0...9), ("B", 0...5), ("C", 0...5), ("D", 0...9))
        let (_, asked) = Self.detect(models, answered: Set(try Self.requests(0...9)))
        #expect(try Self.requests(6...9).contains(try #require(asked.first)))
    }

    @Test("A single model is confirmed by some of its requests, at the ECUs that are not silent")
    func single() throws {
        let absent = try Self.requests(0...99)
        let present = try Self.requests(0...99, ecu: 1)
        let model = ModelCandidate(model: "A", requests: absent + present)
        let (detection, asked) = Self.detect([model], answered: Set(present), otherwise: .silent)
        #expect(asked.count <= 6)
        #expect(detection.proposals.map(\.model) == ["A"])
        #expect(detection.proposals.first?.requests == 200)
        #expect(detection.counts.positive >= 3 && detection.counts.silent >= 1)
    }

    @Test("A vehicle that answers nothing gets a bounded number of requests, and no model is proposed")
    func nothing() throws {
        let models = try Self.models(("A", 0...99), ("B", 50...149), ("C", 100...199))
        let (detection, asked) = Self.detect(models, answered: [], otherwise: .silent)
        #expect(asked.count == ModelDetection.requestLimit && detection.proposals.isEmpty)
        #expect(detection.counts.silent == asked.count)
    }

    @Test("Without requests nothing is asked")
    func empty() throws {
        #expect(Self.detect([], answered: []).asked.isEmpty)
        #expect(Self.detect([ModelCandidate(model: "A", requests: [])], answered: []).asked.isEmpty)
    }

    @Test("An answer that leaves it open counts neither for nor against a model")
    func undetermined() throws {
        let models = try Self.models(("A", 0...9), ("B", 5...14))
        let (detection, asked) = Self.detect(models, answered: [], otherwise: .undetermined)
        #expect(detection.counts.undetermined == asked.count && detection.proposals.isEmpty)
        #expect(ModelDetection.Answer(negative: 0x31) == .refused)
        #expect(ModelDetection.Answer(negative: 0x11) == .refused)
        #expect(ModelDetection.Answer(negative: 0x7F) == .undetermined)
        #expect(ModelDetection.Answer(negative: 0x33) == .undetermined)
    }

    @Test("Requests that a detection does not ask are no part of a model")
    func allowed() throws {
        let strange = try #require(Destination(header: .can11(0x123)))
        let usual = try #require(Destination(header: .can11(0x7E0)))
        let slow = try #require(Destination(header: .can11(0x7E0), timeout: .seconds(1)))
        let candidate = ModelCandidate(
            model: "A",
            requests: [
                try CustomRequest(payload: [0x22, 1, 1], destination: strange),
                try CustomRequest(payload: [0x19, 2], destination: usual),
                try CustomRequest(payload: [0x22, 1, 1], destination: usual),
                try CustomRequest(payload: [0x22, 1, 1], destination: slow),
                try CustomRequest(payload: [0x01, 0x5C]),
            ]
        )
        #expect(candidate.requests.map(\.description) == ["7E0 22 01 01", "01 5C"])
    }

    @Test("A set is chosen if its requests are answered and no other set fits as well")
    func choice() throws {
        let models = try Self.models(("A", 0...30), ("B", 20...50))
        let (clear, _) = Self.detect(models, answered: Set(models[1].requests))
        guard case .set("B", let proposal) = clear.choice else {
            Issue.record("\(clear.choice)")
            return
        }
        #expect(proposal.model == "B" && proposal.share == 1)
        #expect(Self.detect(models, answered: []).0.choice == .tooFewAnswers)
        #expect(Self.detect(models, answered: Set(models[1].requests.prefix(1))).0.choice == .tooFewAnswers)
        #expect(ModelDetection([]).choice == .tooFewAnswers)
    }

    @Test("Models with the same requests are a tie, unless they share one set")
    func ties() throws {
        let requests = try Self.requests(0...9)
        let twins = ["A", "B"].map { ModelCandidate(model: $0, requests: requests) }
        #expect(Self.detect(twins, answered: Set(requests)).0.choice == .tie(["A", "B"]))
        let sharing = ["A", "B"].map { ModelCandidate(model: $0, set: "Make", requests: requests) }
        guard case .set("Make", let proposal) = Self.detect(sharing, answered: Set(requests)).0.choice else {
            Issue.record("no set was chosen")
            return
        }
        #expect(proposal.model == "A")
        // Nothing tells these apart either, but they have one set.
        #expect(Self.detect(sharing, answered: Set(requests)).0.best.map(\.model) == ["A", "B"])
    }

    @Test("The models of a tie are those that fit equally well, whatever the numbers of their answers")
    func equal() throws {
        // Three of five answered requests make a model little likelier than four of nine.
        let models = [
            ModelCandidate(model: "A", requests: try Self.requests(0...4)),
            ModelCandidate(model: "B", requests: try Self.requests(3...11)),
            ModelCandidate(model: "C", requests: try Self.requests(20...29)),
        ]
        for (answered, expected) in [
            (try Self.requests([0, 1, 2, 8, 9, 10, 11]), ["A", "B"]), (try Self.requests(0...4), ["A"]),
            (try Self.requests(3...11), ["B"]),
        ] {
            let (detection, _) = Self.detect(models, answered: Set(answered))
            #expect(Set(detection.best.map(\.model)) == Set(expected), "\(detection.proposals)")
            guard expected.count > 1 else { continue }
            #expect(detection.choice == .tie(detection.best.map(\.model)))
        }
        #expect(Self.detect(models, answered: []).0.best.isEmpty)
    }

    @Test("Models with the same share are ordered by the requests that few other models have, then by name")
    func order() throws {
        let shared = try Self.requests(0...9)
        let own = try Self.requests(10...14)
        let models = [
            ModelCandidate(model: "Z", requests: shared), ModelCandidate(model: "Y", requests: shared),
            ModelCandidate(model: "X", requests: shared + own),
        ]
        let (detection, _) = Self.detect(models, answered: Set(shared + own))
        #expect(detection.proposals.first?.model == "X")
        let (other, _) = Self.detect(models, answered: Set(shared))
        #expect(Array(other.proposals.map(\.model).prefix(2)) == ["Y", "Z"])
    }
}
