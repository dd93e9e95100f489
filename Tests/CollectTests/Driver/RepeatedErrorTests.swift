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
        let (first, second) = (errors.isDue("refused", at: .zero), errors.isDue("refused", at: .zero))
        errors.over()
        let third = errors.isDue("refused", at: .zero)
        #expect(first && !second && third)
        let others = (0..<100).filter { errors.isDue("error \($0)", at: .zero) }
        #expect(others.count == 100)
    }
}
