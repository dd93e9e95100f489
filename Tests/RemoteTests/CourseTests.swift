// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("The course of a number")
struct CourseTests {
    private static let hold = Duration.seconds(70)

    private static func course(_ numbers: [(Double, Double?)]) -> Course {
        numbers.reduce(into: Course()) { course, point in
            if let number = point.1 {
                course.append(number, at: at(point.0))
            } else {
                course.interrupt(at: at(point.0))
            }
        }
    }

    private static func cells(_ course: Course, at time: Double, count: Int = 6) -> [Double?] {
        course.cells(count, span: .seconds(60), at: at(time), hold: Self.hold)
    }

    @Test("Each part of the time has its last number, which holds until the next one")
    func holding() {
        let course = Self.course([(100, 1), (112, 2), (114, 3), (141, 4)])
        #expect(Self.cells(course, at: 145) == [nil, 1, 3, 3, 3, 4])
        // The parts move on together, at round times.
        #expect(Self.cells(course, at: 149.9) == [nil, 1, 3, 3, 3, 4])
        #expect(Self.cells(course, at: 150) == [1, 3, 3, 3, 4, 4])
    }

    @Test("Nothing holds beyond an interruption, or longer than it may be live")
    func interruptions() {
        let course = Self.course([(100, 1), (113, nil), (135, 2)])
        #expect(Self.cells(course, at: 145) == [nil, 1, 1, nil, 2, 2])
        #expect(Self.cells(Self.course([(100, 1), (101, nil), (102, nil)]), at: 145) == [nil, 1, nil, nil, nil, nil])
        let late = Self.cells(Self.course([(100, 1)]), at: 205)
        #expect(late == [1, 1, 1, nil, nil, nil])
        #expect(Self.cells(Course(), at: 100) == Array(repeating: nil, count: 6))
        #expect(Self.cells(course, at: 145, count: 0).isEmpty)
    }

    @Test("The extremes are those of the shown time, with numbers between two points")
    func extremes() {
        let course = Self.course([(100, 50), (140, 7), (140.5, 90), (141, 8), (150, 20)])
        func extremes(_ time: Double) -> ClosedRange<Double>? {
            course.extremes(span: .seconds(60), at: at(time), hold: Self.hold)
        }
        #expect(extremes(150) == 7...90)
        #expect(extremes(205) == 8...20 || extremes(205) == 20...20)
        #expect(extremes(300) == nil)
        #expect(Course().extremes(span: .seconds(60), at: at(1), hold: Self.hold) == nil)
    }

    @Test("The shown time grows with the course, up to ten minutes")
    func spans() {
        let spans = [0.0, 30, 31, 90, 200, 400, 5000].map { Course.span(for: .seconds($0)).components.seconds }
        #expect(spans == [30, 30, 60, 120, 300, 600, 600])
    }

    @Test("An endless course stays small, and still has ten minutes")
    func bounded() {
        var course = Course()
        for second in 0..<20_000 { course.append(Double(second), at: at(Double(second))) }
        let cells = course.cells(300, span: Course.longest, at: at(19_999), hold: Self.hold)
        #expect(cells.count == 300 && !cells.contains(nil))
        #expect(course.start.map { $0 > at(19_000) } == true)
    }

    @Test("The height of a sparkline does not depend on the magnitude of its numbers")
    func heights() {
        #expect(Cells.sparkline([-1.7e308, 0, 1.7e308], width: 3) == Cells.sparkline([-2, 0, 2], width: 3))
        #expect(Cells.sparkline([0, .leastNonzeroMagnitude], width: 2) == Cells.sparkline([1, 1], width: 2))
    }
}
