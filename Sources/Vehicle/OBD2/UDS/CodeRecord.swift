// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A code in an ECU's list, with what the ECU reports about it besides.
package struct CodeRecord: Hashable, Sendable {
    /// The number of bytes of a record in a reply that is translated to SAE J1979.
    static let length = 6

    package let code: TroubleCode
    /// The status of the code in J1979-2; empty in other dialects.
    package let status: CodeStatus
    /// The severity of the code in the reply to service 19 42; zero if the reply has none.
    package let severity: CodeSeverity

    package init(_ code: TroubleCode, status: CodeStatus = [], severity: CodeSeverity = CodeSeverity(rawValue: 0)) {
        self.code = code
        self.status = status
        self.severity = severity
    }

    /// Returns the record with the status and the severity of either of two records of a code.
    package func merged(with other: CodeRecord) -> CodeRecord {
        CodeRecord(
            self.code,
            status: self.status.union(other.status),
            severity: self.severity.rawValue == 0 ? other.severity : self.severity
        )
    }

    /// The bytes of the record: the code's own four, status and severity.
    var bytes: [UInt8] { self.code.bytes + [self.status.rawValue, self.severity.rawValue] }

    /// Reads the form of ``bytes``; nil for an unknown form of code.
    init?(bytes: ArraySlice<UInt8>) {
        let rest = Array(bytes.dropFirst(4))
        guard rest.count == 2, let code = TroubleCode(bytes: bytes.prefix(4)) else { return nil }
        self.init(code, status: CodeStatus(rawValue: rest[0]), severity: CodeSeverity(rawValue: rest[1]))
    }
}

/// The codes in the reply of one ECU.
package struct CodeRecords: Hashable, Sendable {
    package var records: [CodeRecord]
    /// The states that the ECU keeps for its codes in J1979-2; empty in other dialects.
    package let kept: CodeStatus

    package init(_ records: [CodeRecord], kept: CodeStatus = []) {
        self.records = records
        self.kept = kept
    }

    package var codes: [TroubleCode] { self.records.map(\.code) }

    /// The data of the reply that is translated to SAE J1979: the kept states and the records.
    var data: [UInt8] { [self.kept.rawValue] + self.records.flatMap(\.bytes) }

    /// Reads the form of ``data``.
    ///
    /// - Throws: `.wrongLength`, `.unknownFormat`.
    init(data: [UInt8]) throws(DecodingError) {
        guard let kept = data.first, (data.count - 1).isMultiple(of: CodeRecord.length) else {
            throw .wrongLength(expected: 1...4093, actual: data.count)
        }
        var records: [CodeRecord] = []
        for start in stride(from: 1, to: data.count, by: CodeRecord.length) {
            guard let record = CodeRecord(bytes: data[start..<start + CodeRecord.length]) else {
                throw .unknownFormat(data[start])
            }
            records.append(record)
        }
        self.init(records, kept: CodeStatus(rawValue: kept))
    }
}
