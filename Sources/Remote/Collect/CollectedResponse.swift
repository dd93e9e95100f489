// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The response of an agent to a command.
package struct CollectedResponse: Hashable, Sendable {
    package var response: CommandResponse
    /// The payload as JSON without NUL.
    package var body: [UInt8]
    /// The result of a command `resend`; nil for other responses.
    package var resend: ResendReport?
}
