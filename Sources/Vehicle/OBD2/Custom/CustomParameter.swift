// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A parameter that is not in the catalogue: a request, and the field that decodes its reply.
package struct CustomParameter: Hashable, Sendable {
    /// The parameter's name for people.
    package let title: String?
    package let request: CustomRequest
    /// The parameter's value: name, unit, formula, range.
    package let field: Field

    package init(title: String? = nil, request: CustomRequest, field: Field) {
        self.title = title
        self.request = request
        self.field = field
    }

    /// The parameter's name, which is also its topic.
    package var name: String { self.field.name }

    /// The meaning of the parameter that the agent understands; nil if it has none.
    package var role: ParameterRole? { self.field.role }

    /// Decodes the value of one message of a reply, service byte first.
    ///
    /// - Returns: nil if the message is not a positive reply to the request, is too short, or has a value out of range.
    package func decode(_ message: [UInt8]) -> FieldValue? {
        let prefix = [self.request.payload.first.map { $0 | 0x40 } ?? 0] + self.request.echo
        guard message.starts(with: prefix) else { return nil }
        return self.field.decode(message.span.extracting(droppingFirst: prefix.count))
            .map { FieldValue(field: self.field, value: $0) }
    }
}
