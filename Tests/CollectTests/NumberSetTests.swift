// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Collect

@Suite("Number sets")
struct NumberSetTests {
    @Test("Numbers in any order become sorted ranges that do not touch")
    func insertion() {
        var set = NumberSet()
        let areNew = [5, 1, 3, 2, 9, 7].map { set.insert($0) }
        #expect(!areNew.contains(false))
        #expect(set.description == "1-3,5,7,9")
        let again = [2, 4, 8].map { set.insert($0) }
        #expect(again == [false, true, true])
        #expect(set.description == "1-5,7-9")
        #expect(set.count == 8)
        #expect(set.last == 9)
        set.insert(2...20)
        #expect(set.description == "1-20")
    }

    @Test("A set behaves like a set of the standard library, whatever is done to it", arguments: 0..<20)
    func againstModel(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        var (set, model) = (NumberSet(), Set<UInt64>())
        for _ in 0..<400 {
            let number = UInt64.random(in: 1...60, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                set.remove(number)
                model.remove(number)
            case 1:
                let range = number...UInt64.random(in: number...(number + 4), using: &numbers)
                set.insert(range)
                model.formUnion(range)
            default:
                let (isNew, isNewInModel) = (set.insert(number), model.insert(number).inserted)
                #expect(isNew == isNewInModel)
            }
            #expect((0...70).allSatisfy { set.contains($0) == model.contains($0) })
            #expect(set.count == UInt64(model.count))
            #expect(Set(set.holes(through: 50).ranges.flatMap(\.self)) == Set(1...50).subtracting(model))
            #expect(NumberSet(set.description) == set)
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
        }
    }

    @Test("The intersection has the numbers of both", arguments: 0..<20)
    func intersection(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let left = Set((0..<40).map { _ in UInt64.random(in: 1...80, using: &numbers) })
        let right = Set((0..<40).map { _ in UInt64.random(in: 1...80, using: &numbers) })
        let both = NumberSet(left.map { $0...$0 }).intersection(NumberSet(right.map { $0...$0 }))
        #expect(Set(both.ranges.flatMap(\.self)) == left.intersection(right))
    }

    @Test("The union has the numbers of each, and two sets meet if one number is in both", arguments: 0..<20)
    func union(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let left = Set(
            (0..<Int.random(in: 0..<30, using: &numbers)).map { _ in UInt64.random(in: 0...80, using: &numbers) }
        )
        let right = Set(
            (0..<Int.random(in: 0..<30, using: &numbers)).map { _ in UInt64.random(in: 0...80, using: &numbers) }
        )
        let (first, second) = (NumberSet(left.map { $0...$0 }), NumberSet(right.map { $0...$0 }))
        var union = first
        union.formUnion(second)
        #expect(union == NumberSet(left.union(right).map { $0...$0 }))
        #expect(first.intersects(second) == !left.isDisjoint(with: right))
        #expect(second.intersects(first) == !left.isDisjoint(with: right))
    }

    @Test("The smallest ranges go until the limit is kept, with some to spare")
    func smallest() {
        var set = NumberSet()
        for start: UInt64 in 0..<20 { set.insert((start * 10 + 1)...(start * 10 + 1 + start % 5)) }
        #expect(set.smallest(beyond: 20).isEmpty)
        // Two beyond the limit, and a tenth of it.
        #expect(set.smallest(beyond: 18).description == "1,51,101")
        #expect(set.smallest(beyond: 0) == set)
    }

    @Test("The largest numbers overflow nothing")
    func extremes() {
        var set = NumberSet([UInt64.max...UInt64.max, 0...0])
        let isNew = set.insert(UInt64.max)
        #expect(!isNew)
        #expect(set.holes(through: .max).ranges == [1...(UInt64.max - 1)])
        set.insert(0...UInt64.max)
        #expect(set.ranges == [0...UInt64.max])
        #expect(set.count == .max)
        #expect(set.holes(through: .max).isEmpty)
        #expect(NumberSet([1...UInt64.max, 0...0]).count == .max)
    }

    @Test(
        "A damaged text is no set",
        arguments: ["1-", "-1", "2-1", "1,1", "1,2", "3,1", "a", "1,,3", "1-2-3", " 1", "99999999999999999999", ","]
    )
    func damagedText(_ text: String) {
        #expect(NumberSet(text) == nil)
    }

    @Test("An empty text is the empty set")
    func emptyText() {
        #expect(NumberSet("") == NumberSet())
        #expect(NumberSet().description.isEmpty)
    }

    @Test("Too many ranges close the smallest holes, and tell how many numbers that were")
    func reduction() {
        var set = NumberSet()
        for start: UInt64 in 0..<12 { set.insert((start * 10 + 1)...(start * 10 + 5)) }
        set.insert(7...9)  // The hole before is one number, that behind as well.
        let before = set.count
        let closed = set.reduce(to: 12)
        #expect(set.ranges.count <= 12)
        #expect(closed == set.count - before)
        #expect(set.contains(6) && set.contains(10))
        let again = set.reduce(to: 12)
        #expect(again == 0)
    }
}
