// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A parameter that is not in the catalogue: a request, and how a value is made of its reply.
package struct CustomParameter: Hashable, Sendable {
    /// Its name for people.
    package let title: String?
    package let request: CustomRequest
    /// Its value: name, unit, formula, range.
    package let field: Field

    package init(title: String? = nil, request: CustomRequest, field: Field) {
        self.title = title
        self.request = request
        self.field = field
    }

    /// Its name, which is its topic.
    package var name: String { self.field.name }

    /// The value in one message of a reply, service byte first.
    ///
    /// - Returns: nil where the message is no positive reply to the request, is too short, or says a value that is out
    ///   of range.
    package func decode(_ message: [UInt8]) -> FieldValue? {
        let prefix = [self.request.payload.first.map { $0 | 0x40 } ?? 0] + self.request.echo
        guard message.starts(with: prefix) else { return nil }
        return self.field.decode(message.span.extracting(droppingFirst: prefix.count))
            .map { FieldValue(field: self.field, value: $0) }
    }
}
