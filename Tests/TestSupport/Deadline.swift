// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The error of an operation that took longer than any machine needs.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body`; cancels it and throws ``DeadlineExceeded`` if it takes longer than `limit`.
///
/// The limit ends a test that hangs. It measures nothing.
package func within<Value: Sendable>(
    _ what: String,
    limit: Duration = .seconds(180),
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlineExceeded(description: "\(what): not within \(limit)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns the next element that `predicate` accepts, and drops the elements before it.
    ///
    /// - Throws: ``DeadlineExceeded`` if none arrives in time; ``SequenceEnded`` if the sequence ends first.
    package func next(
        _ what: String,
        where predicate: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        try await within(what) {
            for try await element in self where predicate(element) { return element }
            try Task.checkCancellation()
            throw SequenceEnded(description: "\(what): the sequence ended first")
        }
    }
}

/// The error of a sequence that ended before the awaited element.
package struct SequenceEnded: Error, CustomStringConvertible {
    package let description: String
}
