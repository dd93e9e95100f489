// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The result of the command `resend`.
package struct ResendReport: Hashable, Sendable {
    package var stream: RecordStream
    package var epoch: UInt64
    package var from: UInt64
    /// The last number that the command covers, which may be less than was asked for; `from - 1` if it covers none.
    package var to: UInt64
    /// The number of records that come again, or for the first time.
    package var records: Int
    /// The numbers that never come, in order.
    package var missing: [ClosedRange<UInt64>]
    /// The highest number of the epoch that the agent has; 0 if it has none.
    package var last: UInt64

    package init(
        _ stream: RecordStream,
        epoch: UInt64,
        from: UInt64,
        to: UInt64,
        records: Int,
        missing: [ClosedRange<UInt64>],
        last: UInt64
    ) {
        (self.stream, self.epoch, self.from, self.to) = (stream, epoch, from, to)
        (self.records, self.missing, self.last) = (records, missing, last)
    }

    package var json: JSON {
        func number(_ value: UInt64) -> JSON { .integer(Int64(clamping: value)) }
        return [
            "stream": .string(self.stream.rawValue), "epoch": number(self.epoch), "from": number(self.from),
            "to": number(self.to), "records": .integer(Int64(self.records)),
            "missing": .array(self.missing.map { [number($0.lowerBound), number($0.upperBound)] }),
            "last": number(self.last),
        ]
    }

    /// Reads the form that ``json`` has; nil if `json` is no such result.
    package init?(_ json: JSON) {
        guard let stream = json["stream"].string.flatMap(RecordStream.init), let epoch = json["epoch"].count,
            let from = json["from"].count, from > 0, let to = json["to"].count, to >= from - 1,
            let records = json["records"].count, records <= ResendArguments.limit, let last = json["last"].count
        else { return nil }
        var missing: [ClosedRange<UInt64>] = []
        for range in json["missing"].elements {
            let bounds = range.elements.compactMap(\.count)
            guard bounds.count == 2, bounds[0] > missing.last?.upperBound ?? from - 1, bounds[0] <= bounds[1],
                bounds[1] <= to
            else { return nil }
            missing.append(bounds[0]...bounds[1])
        }
        self.init(stream, epoch: epoch, from: from, to: to, records: Int(records), missing: missing, last: last)
    }
}
