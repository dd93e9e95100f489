// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The problems found in the configuration files so far.
struct ProblemList: Sendable {
    typealias Problem = ConfigurationError.Problem

    /// The most problems that one error lists.
    private static let limit = 100

    private var problems: [Problem] = []

    /// The number of problems found so far.
    var count: Int { self.problems.count }

    mutating func append(_ problem: Problem) {
        self.problems.append(problem)
    }

    mutating func append(contentsOf error: ConfigurationError) {
        self.problems += error.problems
    }

    /// Returns an error with the first 100 problems: those of the main file first, then file by file, in line order.
    func error(mainFile: String) -> ConfigurationError? {
        guard !self.problems.isEmpty else { return nil }
        func place(_ problem: Problem) -> (String, Int) {
            (problem.file == mainFile ? "" : problem.file, problem.line ?? 0)
        }
        // `sorted` is stable, so problems of one line keep the order in which they were found.
        var problems = self.problems.sorted { place($0) < place($1) }
        let rest = problems.count - Self.limit
        if rest > 0 {
            problems.removeLast(rest)
            problems.append(.init(file: mainFile, message: "and \(rest) more problems"))
        }
        return ConfigurationError(problems: problems)
    }
}
