// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The proof that the adapter behind a new link kept what an earlier start-up had set.
///
/// A lost link says nothing about the adapter: usually it had power all the time. Two exchanges prove that, and a reset,
/// which takes a second, is left out: ``AdapterCommand/name``, and then ``StartUp/firstRequest``. An adapter that has
/// lost its power repeats each command and prints no headers. One that answers late still answers the requests of the
/// link before; its first line is then no name. The identity of the vehicle is proven by the session, as after any
/// start-up.
///
/// After a start of the process more may have happened: the process before may have died while a setting was changed, and
/// another program may have used the adapter. Then the proof also wants all ECUs to answer, and the settings that it does
/// not see are made anew.
package struct ReturnProof: Sendable {
    /// The report of the earlier start-up.
    private let known: AdapterReport
    /// Whether that was the start-up of an earlier process.
    private let isOfEarlierProcess: Bool

    /// - Parameter isOfEarlierProcess: whether the report is that of an earlier process.
    /// - Returns: nil if the exchanges would not prove anything with this adapter, or on this bus.
    package init?(_ known: AdapterReport, isOfEarlierProcess: Bool = false) {
        let answers = known.ecus.values.flatMap(\.self)
        guard known.works(.echoOff), known.works(.headers), known.bus != .j1939, !known.identity.isEmpty,
            !answers.isEmpty, answers.allSatisfy({ $0.starts(with: [0x41, 0x00]) })
        else { return nil }
        self.known = known
        self.isOfEarlierProcess = isOfEarlierProcess
    }

    /// The protocol of the bus.
    package var bus: BusProtocol { self.known.bus }

    /// Whether the proof may be tried with this protocol; nil to search.
    ///
    /// A search within a process means that another vehicle may answer. The first one of a process means nothing.
    package func fits(_ bus: BusProtocol?) -> Bool { bus == self.bus || self.isOfEarlierProcess && bus == nil }

    /// Returns whether the reply to ``AdapterCommand/name`` is that of the same adapter, without a reset since.
    package func recognizes(_ outcome: CommandOutcome, form: ReplyForm) -> Bool {
        guard case .reply(let lines) = outcome, lines.count == 1, form.isDisjoint(with: [.echo, .linefeeds, .garbage])
        else { return false }
        return compact(lines[0]) == compact(self.known.identity)
    }

    /// Returns whether this reply is not that to ``AdapterCommand/name``, which may still come.
    package func mayFollow(_ outcome: CommandOutcome, form: ReplyForm) -> Bool {
        guard case .reply(let lines) = outcome, !form.contains(.echo) else { return false }
        return !lines.contains { compact($0).contains(compact(self.known.identity)) }
    }

    /// The commands between the two exchanges.
    ///
    /// The voltage decides whether the bus may be used. The settings of flow control decide whether a long answer
    /// arrives, such as that with the VIN.
    package var commands: [AdapterCommand] {
        guard self.isOfEarlierProcess else { return [] }
        return [.voltage] + (self.bus.isCAN ? [AdapterCommand("ATFCSM0")] : [])
    }

    /// Returns the report of the present start-up; nil if the answer to ``StartUp/firstRequest`` proves nothing.
    ///
    /// An ECU whose answer is missing is asked again by the session.
    package func report(after result: BusResult, form: ReplyForm) -> AdapterReport? {
        guard case .answered(let answers) = result.outcome, result.dropped == 0, !answers.isEmpty,
            form.isDisjoint(with: [.echo, .linefeeds])
        else { return nil }
        var report = self.known
        report.voltage = nil
        report.ecus = [:]
        if self.isOfEarlierProcess {
            guard Set(answers.keys) == Set(self.known.ecus.keys) else { return nil }
            report.postponedSettings = self.bus.baseSettings + StartUp.settings.filter(\.isDefault).map(\.line)
        }
        for (ecu, answer) in answers {
            guard case .positive(let messages) = answer, messages == self.known.ecus[ecu] else { return nil }
            report.ecus[ecu] = messages
        }
        return report
    }
}
