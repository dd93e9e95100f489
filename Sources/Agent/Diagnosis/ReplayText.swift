// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import ELM327
import OBD2
import Session

extension Replay.Output {
    /// Returns the output as lines of text; none for events that only show the progress of a session.
    ///
    /// Equal outputs have equal lines.
    package func lines(at time: MonotonicTime) -> [String] {
        let stamp = "\(Self.seconds(time))"
        return self.texts.map { "\(stamp) \($0)" }
    }

    /// Returns the time in seconds, with three decimal places.
    private static func seconds(_ time: MonotonicTime) -> String {
        let digits = String(time.sinceBoot.milliseconds % 1000)
        let seconds = time.sinceBoot.milliseconds / 1000
        return "\(seconds).\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
    }

    private var texts: [String] {
        switch self {
        case .session(let event): event.texts
        case .answer(let request, let result):
            ["answer to \(request.payload.hexadecimal): \(result.outcome.text), \(result.dropped) dropped"]
        case .failed(let error): ["the session ended: \(error)"]
        case .diverged(let difference): ["DIVERGED: this version continues with: \(difference)"]
        case .note(let text): ["note \(text)"]
        }
    }
}

extension SessionEvent {
    fileprivate var texts: [String] {
        switch self {
        case .link(.connected(let report)):
            let ecus = report.ecus.keys.sorted().map(\.description).joined(separator: " ")
            return ["connected \(report.identity), \(report.bus.title), ECUs \(ecus)"]
        case .identified(let identity):
            let ecus = identity.ecus.keys.sorted().map(\.description).joined(separator: " ")
            return ["vehicle \(identity.vin?.description ?? "without VIN"), ECUs \(ecus)"]
        case .samples(let samples):
            return samples.map { sample in
                let unit = sample.value.field.symbol.map { " \($0)" } ?? ""
                return "sample \(sample.value.field.name) \(sample.value.value.text)\(unit) from \(sample.ecu)"
            }
        case .monitors(let monitors):
            return monitors.sorted { $0.key < $1.key }.map { ecu, status in
                "monitors MIL \(status.mil ? "on" : "off"), \(status.codeCount) codes from \(ecu)"
            }
        case .codes(let reading):
            let lists = CodeState.allCases.flatMap { state in reading.lists[state]?.texts("\(state)") ?? [] }
            return lists + reading.freezeFrames.sorted { $0.key < $1.key }.map { "\($0.value.text) from \($0.key)" }
        case .tests(let reading):
            return reading.tests.sorted { $0.key < $1.key }.map { "\($0.value.text) from \($0.key)" }
        case .dropped(let count): return ["dropped \(count)"]
        case .refused(let line, _): return ["the adapter rejects \(line)"]
        case .silent(let destination, _): return ["no answer from \(destination.header)"]
        case .unscaled(let pid, let ecus):
            return ["no maxima in PID \(pid) from \(ecus.map(\.description).joined(separator: " "))"]
        case .link, .unexpected, .selected, .adapter, .parking: return []
        }
    }
}

extension CodeList {
    fileprivate func texts(_ name: String) -> [String] {
        switch self {
        case .read(let ecus):
            ecus.sorted { $0.key < $1.key }.map { ecu, codes in
                let text = codes.isEmpty ? "none" : codes.map(\.description).joined(separator: " ")
                return "\(name) codes \(text) from \(ecu)"
            }
        case .incomplete(let ecus):
            CodeList.read(ecus).texts(name) + ["\(name) codes of some ECU could not be read"]
        case .notSupported: ["\(name) codes are not supported"]
        case .failed: ["\(name) codes could not be read"]
        }
    }
}

extension FreezeFrameReading {
    fileprivate var text: String {
        switch self {
        case .none: "no freeze frame"
        case .stored(let code, let values, let unread):
            "freeze frame of \(code):\(values.map { " \($0.field.name) \($0.value.text)" }.joined()), \(unread.count) unread"
        case .notSupported: "freeze frames are not supported"
        case .failed: "the freeze frame could not be read"
        }
    }
}

extension TestReading {
    fileprivate var text: String {
        switch self {
        case .read(let results, let unread): "\(results.count) test results, \(unread) unread"
        case .notSupported: "test results are not supported"
        case .failed: "the test results could not be read"
        }
    }
}

extension BusOutcome {
    fileprivate var text: String {
        switch self {
        case .answered(let answers):
            answers.sorted { $0.key < $1.key }.map { ecu, reply in
                switch reply {
                case .positive(let messages):
                    "\(ecu) \(messages.map { $0.hexadecimal(separator: "") }.joined(separator: " "))"
                case .negative(let code): "\(ecu) refuses with \(code.hexadecimal)"
                }
            }.joined(separator: "; ")
        case .noData: "no data"
        case .busUnavailable(let notice): "the bus is unavailable (\(notice))"
        case .unusable(let notice): "unusable reply\(notice.map { " (\($0))" } ?? "")"
        case .refused(let line): "the adapter rejects \(line)"
        case .withdrawn: "not sent"
        case .settingsNotRestored: "the adapter's settings could not be restored"
        case .adapterRestarted: "the adapter restarted"
        case .adapterSilent: "the adapter does not answer"
        }
    }
}

extension DecodedValue {
    fileprivate var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .flag(let isOn): isOn ? "yes" : "no"
        case .code(let code, let label): label ?? "\(code)"
        case .text(let text): text
        case .names(let names): names.isEmpty ? "none" : names.joined(separator: ",")
        }
    }
}
