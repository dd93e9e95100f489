// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A parameter that is not in the catalogue: where its bytes come from, and the field that decodes them.
package struct CustomParameter: Hashable, Sendable {
    /// The origin of the bytes.
    package enum Source: Hashable, Sendable {
        /// The reply to a request.
        case request(CustomRequest)
        /// A frame that is on a CAN bus anyway.
        case frame(FrameSource)
    }

    /// The parameter's name for people.
    package let title: String?
    package let source: Source
    /// The parameter's value: name, unit, formula, range.
    package let field: Field

    package init(title: String? = nil, _ source: Source, field: Field) {
        self.title = title
        self.source = source
        self.field = field
    }

    package init(title: String? = nil, request: CustomRequest, field: Field) {
        self.init(title: title, .request(request), field: field)
    }

    /// The request; nil for the parameter of a frame.
    package var request: CustomRequest? { if case .request(let request) = self.source { request } else { nil } }

    /// The frames with the value; nil for the parameter of a request.
    package var frame: FrameSource? { if case .frame(let frame) = self.source { frame } else { nil } }

    /// The parameter's name, which is also its topic.
    package var name: String { self.field.name }

    /// The meaning of the parameter that the agent understands; nil if it has none.
    package var role: ParameterRole? { self.field.role }

    /// Decodes the value of one message of a reply, service byte first.
    ///
    /// - Returns: nil if the message is not a positive reply to the request, is too short, or has a value out of range.
    package func decode(_ message: [UInt8]) -> FieldValue? {
        guard let request else { return nil }
        let prefix = [request.payload.first.map { $0 | 0x40 } ?? 0] + request.echo
        guard message.starts(with: prefix) else { return nil }
        return self.field.decode(message.span.extracting(droppingFirst: prefix.count))
            .map { FieldValue(field: self.field, value: $0) }
    }

    /// The content of a frame with the identifier of ``frame``, for the parameter.
    package enum FrameContent: Hashable, Sendable {
        /// The frame is one of the others with this identifier.
        case other
        /// The frame is too short, or has a value out of range.
        case unusable
        case value(FieldValue)
    }

    /// Decodes the data of a frame with the identifier of ``frame``.
    package func decode(frame data: [UInt8]) -> FrameContent {
        guard let frame, frame.carries(data.span) else { return .other }
        return self.field.decode(data.span).map { .value(FieldValue(field: self.field, value: $0)) } ?? .unusable
    }
}

extension CustomParameter.Source: CustomStringConvertible {
    package var description: String {
        switch self {
        case .request(let request): request.description
        case .frame(let frame): frame.description
        }
    }
}
