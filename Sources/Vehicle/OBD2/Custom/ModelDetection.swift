// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The steps that find the model of a vehicle by the requests that its ECUs answer.
///
/// Models of one make share most of their requests, so each step asks the request that tells the remaining models apart
/// best. The driver sends the request and reports the answer.
package struct ModelDetection: Sendable {
    /// The most requests of one detection.
    package static let requestLimit = 41
    /// The most models of one detection.
    package static let candidateLimit = 256

    package enum Step: Hashable, Sendable {
        case ask(CustomRequest)
        case finished
    }

    /// The answer of the vehicle to a request.
    package enum Answer: Hashable, Sendable {
        case positive
        /// An ECU answers that it does not have the request.
        case refused
        case silent
        /// The answer does not tell whether the ECU has the request.
        case undetermined

        /// Classifies a negative response by its code (ISO 14229-1, A.1).
        ///
        /// An ECU that is busy, or demands another session, access or state, may well have the request.
        package init(negative code: UInt8) {
            self = [0x21, 0x22, 0x33, 0x34, 0x37, 0x78, 0x7E, 0x7F].contains(code) ? .undetermined : .refused
        }
    }

    /// A model with the answers to its requests.
    package struct Proposal: Hashable, Sendable {
        package let model: String
        /// The number of the model's requests that the vehicle answered, that were asked, and that there are.
        package let answered: Int
        package let asked: Int
        package let requests: Int

        /// The part of the asked requests that the vehicle answered, from 0 to 1.
        package var share: Double { self.asked == 0 ? 0 : Double(self.answered) / Double(self.asked) }
    }

    /// The answers so far.
    package struct Counts: Hashable, Sendable {
        package var positive = 0
        package var refused = 0
        package var silent = 0
        package var undetermined = 0

        package var all: Int { self.positive + self.refused + self.silent + self.undetermined }
    }

    private struct Question: Hashable, Sendable {
        let request: CustomRequest
        /// The indices of the models that have the request.
        var owners: [Int]

        /// The weight of the answer: a request that few models have counts more.
        var weight: Double { 1 / Double(self.owners.count) }
    }

    /// The answers to the requests of one model.
    private struct Tally: Hashable, Sendable {
        var answered = 0
        var asked = 0
        var answeredWeight = 0.0
        var askedWeight = 0.0
        /// The relative likelihood of the model.
        var likelihood = 1.0
    }

    // Found by trial with recorded answers of 233 vehicles. Vehicles answer some 60 % of the requests of their model's
    // set, because equipment differs, and some 10 % of those that only other sets have.
    private static let ownRate = 0.6
    private static let otherRate = 0.1
    /// The doubt that is left when the next request would no longer tell models apart.
    private static let doubtLimit = 0.0001
    /// The requests of the most likely model that are asked, and those among them that are answered, if it has as many.
    private static let askedGoal = 5
    static let answeredGoal = 3
    /// The weight of the share that a model is assumed to have before anything is asked.
    private static let priorWeight = 4.0
    private static let priorShare = 0.2

    private let candidates: [ModelCandidate]
    /// The requests that were not asked yet.
    private var open: [Question]
    private var current: Question?
    private var tallies: [Tally]
    /// The number of requests on which each ECU was silent.
    private var silences: [Destination.Header?: Int] = [:]
    package private(set) var counts = Counts()

    package init(_ candidates: some Sequence<ModelCandidate>) {
        let candidates = Array(candidates.lazy.filter { !$0.requests.isEmpty }.prefix(Self.candidateLimit))
        var questions: [ModelCandidate.Key: Question] = [:]
        for (index, candidate) in candidates.enumerated() {
            for request in candidate.requests {
                questions[ModelCandidate.Key(request), default: Question(request: request, owners: [])]
                    .owners.append(index)
            }
        }
        self.candidates = candidates
        self.open = questions.values.sorted { $0.request < $1.request }
        self.tallies = [Tally](repeating: Tally(), count: candidates.count)
    }

    /// Returns the first step.
    package mutating func begin() -> Step { self.next() }

    /// Notes the answer to the last request, and returns the next step.
    package mutating func answered(_ answer: Answer) -> Step {
        guard let question = self.current.take() else { return .finished }
        switch answer {
        case .positive: self.counts.positive += 1
        case .refused: self.counts.refused += 1
        case .silent: self.counts.silent += 1
        case .undetermined: self.counts.undetermined += 1
        }
        if answer == .silent { self.silences[question.request.destination?.header, default: 0] += 1 }
        if answer != .undetermined { self.count(question, isAnswered: answer == .positive) }
        return self.next()
    }

    /// The models whose requests the vehicle answers, the best one first.
    package var proposals: [Proposal] {
        self.candidates.indices.filter { self.tallies[$0].answered > 0 }
            .map { (score: self.score(of: $0), proposal: self.proposal(of: $0)) }
            .sorted { ($1.score, $0.proposal.model) < ($0.score, $1.proposal.model) }
            .map(\.proposal)
    }

    /// Returns the set of a model, and the probability that it is that of the vehicle, by the answers so far.
    ///
    /// The models without a set of their own share that of their make, so nothing has to tell them apart.
    func set(of model: String) -> (name: String, probability: Double)? {
        guard let name = self.candidates.first(where: { $0.model == model })?.set else { return nil }
        let sum = self.tallies.reduce(0) { $0 + $1.likelihood }
        let sharing = self.candidates.indices.filter { self.candidates[$0].set == name }
        return (name, sharing.reduce(0) { $0 + self.tallies[$1].likelihood } / sum)
    }

    private func proposal(of index: Int) -> Proposal {
        let (candidate, tally) = (self.candidates[index], self.tallies[index])
        return Proposal(
            model: candidate.model,
            answered: tally.answered,
            asked: tally.asked,
            requests: candidate.requests.count
        )
    }

    /// Returns the share of answered requests by weight; few requests change the assumed share only a little.
    private func score(of index: Int) -> Double {
        let tally = self.tallies[index]
        return (tally.answeredWeight + Self.priorWeight * Self.priorShare) / (tally.askedWeight + Self.priorWeight)
    }

    private mutating func count(_ question: Question, isAnswered: Bool) {
        for index in question.owners {
            self.tallies[index].asked += 1
            self.tallies[index].askedWeight += question.weight
            guard isAnswered else { continue }
            self.tallies[index].answered += 1
            self.tallies[index].answeredWeight += question.weight
        }
        let owners = Set(question.owners)
        for index in self.tallies.indices {
            let rate = owners.contains(index) ? Self.ownRate : Self.otherRate
            self.tallies[index].likelihood *= isAnswered ? rate : 1 - rate
        }
        let sum = self.tallies.reduce(0) { $0 + $1.likelihood }
        for index in self.tallies.indices { self.tallies[index].likelihood /= sum }
    }

    private mutating func next() -> Step {
        guard self.counts.all < Self.requestLimit, let index = self.mostDividing ?? self.mostConfirming else {
            return .finished
        }
        let question = self.open.remove(at: index)
        self.current = question
        return .ask(question.request)
    }

    /// The index of the request that divides the models best by their likelihood; nil if none divides them.
    private var mostDividing: Int? {
        let sum = self.tallies.reduce(0) { $0 + $1.likelihood }
        var best: (index: Int, doubt: Double)?
        for (index, question) in self.open.enumerated() {
            let part = question.owners.reduce(0) { $0 + self.tallies[$1].likelihood } / sum
            let doubt = part * (1 - part)
            if doubt > Self.doubtLimit, doubt > (best?.doubt ?? 0) + 1e-12 { best = (index, doubt) }
        }
        return best?.index
    }

    /// The index of a request of the most likely model; nil if enough of its requests were asked and answered.
    ///
    /// The request goes to the ECU that was silent least often, because vehicles lack many of the ECUs of a large set.
    /// Among those it is the request that most models have.
    private var mostConfirming: Int? {
        let likeliest = self.tallies.indices.max { self.tallies[$0].likelihood < self.tallies[$1].likelihood }
        guard let likeliest,
            self.tallies[likeliest].asked < Self.askedGoal || self.tallies[likeliest].answered < Self.answeredGoal
        else { return nil }
        func rank(_ question: Question) -> (Int, Int) {
            (self.silences[question.request.destination?.header, default: 0], -question.owners.count)
        }
        return self.open.indices.filter { self.open[$0].owners.contains(likeliest) }
            .min { rank(self.open[$0]) < rank(self.open[$1]) }
    }
}
