// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Collect

@Suite("An error that comes again and again")
struct RepeatedErrorTests {
    @Test("It is logged at once, and then each half hour, also if it takes turns with another")
    func rarely() {
        var errors = RepeatedError()
        var logged: [String] = []
        for second in stride(from: 0, through: 3600, by: 5) {
            for text in ["refused", "unknown host"] where errors.isDue(text, at: .zero + .seconds(second)) {
                logged.append("\(second) \(text)")
            }
        }
        #expect(
            logged == [
                "0 refused", "0 unknown host", "1800 refused", "1800 unknown host", "3600 refused", "3600 unknown host",
            ]
        )
    }

    @Test("After a time of work it is news, and texts that always differ fill no memory")
    func news() {
        var errors = RepeatedError()
        func failed(_ second: Int) -> Bool { errors.failed("refused", at: .zero + .seconds(second)) }
        let (first, second) = (failed(0), failed(100))
        #expect(first && !second)
        _ = errors.worked(at: .zero + .seconds(200))
        _ = errors.worked(at: .zero + .seconds(240))
        let afterWork = failed(260)
        _ = errors.worked(at: .zero + .seconds(300))
        let soon = failed(359)
        #expect(afterWork && !soon)
        let others = (0..<100).filter { errors.isDue("error \($0)", at: .zero) }
        #expect(others.count == 100)
    }

    @Test("A success is logged after each logged error, and the first one only if that is wanted")
    func success() {
        var (errors, greeting) = (RepeatedError(), RepeatedError(logsFirstSuccess: true))
        let (first, greeted, again) = (errors.worked(at: .zero), greeting.worked(at: .zero), greeting.worked(at: .zero))
        #expect(!first && greeted && !again)
        let (new, afterNew) = (errors.failed("refused", at: .zero), errors.worked(at: .zero))
        let (old, afterOld) = (errors.failed("refused", at: .zero), errors.worked(at: .zero))
        #expect(new && afterNew && !old && !afterOld)
        // An error that leaves the connection as it is.
        let (due, afterDue) = (errors.isDue("no right", at: .zero), errors.worked(at: .zero))
        #expect(due && !afterDue)
    }
}
