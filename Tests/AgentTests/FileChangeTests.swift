// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

@testable import Agent

@Suite("Files that are renewed")
struct FileChangeTests {
    /// Two files at a time, each as often as its number says written anew; 0: it is not there.
    private func actions(_ looks: [(Int, Int)]) throws -> [FileChange.CheckAction] {
        let directory = try TemporaryDirectory()
        let stamps = try (1...3).map { try #require(FileStamp(of: directory.write("x", to: "\($0)"))) }
        func stamp(_ number: Int) -> FileStamp? { number == 0 ? nil : stamps[number - 1] }
        var (change, used) = (FileChange(), [stamp(looks[0].0), stamp(looks[0].1)])
        return looks.dropFirst().map { look in
            let found = [stamp(look.0), stamp(look.1)]
            let action = change.filesChecked(found, used: used)
            if action == .read { used = found }
            return action
        }
    }

    @Test("Who has read them as they are needs not be told; who read half of them does", arguments: [(2, 2), (2, 1)])
    func used(first: Int, second: Int) throws {
        let directory = try TemporaryDirectory()
        let stamps = try (1...2).map { try #require(FileStamp(of: directory.write("x", to: "\($0)"))) }
        let (new, used) = ([stamps[1], stamps[1]], [stamps[first - 1], stamps[second - 1]])
        var change = FileChange()
        #expect(change.filesChecked(new, used: used) == .wait)
        #expect(change.filesChecked(new, used: used) == (new == used ? .wait : .read))
        #expect(change.filesChecked(new, used: new) == .wait)
    }

    @Test(
        "They are read again once, when all of them are there and have come to rest",
        arguments: [
            ([(1, 1), (1, 1), (1, 1)], [.wait, .wait]),
            ([(1, 1), (2, 1), (2, 1), (2, 1)], [.wait, .read, .wait]),
            // The second comes later than the first.
            ([(1, 1), (2, 1), (2, 2), (2, 2), (2, 2)], [.wait, .wait, .read, .wait]),
            // Away for a while.
            ([(1, 1), (0, 1), (0, 1), (2, 1), (2, 1)], [.wait, .wait, .wait, .read]),
            ([(1, 1), (0, 1), (0, 1), (1, 1), (1, 1)], [.wait, .wait, .wait, .wait]),
            // Not there at the start.
            ([(0, 1), (0, 1), (1, 1), (1, 1), (1, 1)], [.wait, .wait, .read, .wait]),
            // Changed, and changed back.
            ([(1, 1), (2, 1), (1, 1), (1, 1)], [.wait, .wait, .wait]),
            // Changed twice.
            ([(1, 1), (2, 1), (3, 1), (3, 1), (2, 1), (2, 1)], [.wait, .wait, .read, .wait, .read]),
        ] as [([(Int, Int)], [FileChange.CheckAction])]
    )
    func changes(looks: [(Int, Int)], expected: [FileChange.CheckAction]) throws {
        #expect(try self.actions(looks) == expected)
    }

    @Test("A file that is written anew, replaced, or reached by another link is another one; one that is read is not")
    func stamps() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("one", to: "file")
        let first = try #require(FileStamp(of: path))
        _ = TextFile.read(path)
        #expect(FileStamp(of: path) == first)
        try directory.write("three", to: "file")
        let second = try #require(FileStamp(of: path))
        #expect(second != first)
        TextFile.move(try directory.write("three", to: "next"), to: path)
        #expect(FileStamp(of: path) != second)
        #expect(FileStamp(of: path) != nil)
        TextFile.remove(path)
        #expect(FileStamp(of: path) == nil)
    }
}
