// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327

/// The facts about the adapter that outlive the process.
///
/// They spare the next process the reset of the adapter, if it can prove that the settings are still there, and the trials.
package struct AdapterMemory: Sendable {
    /// The facts that an earlier process has left, or that were kept last; nil if there are none about an adapter at this
    /// address.
    package var known: KnownAdapter?
    /// The facts that an earlier process has left.
    package let earlier: KnownAdapter?
    /// Keeps the facts for the next process; it must not block for long.
    package var persist: @Sendable (KnownAdapter) -> Void

    package init(_ known: KnownAdapter? = nil, persist: @escaping @Sendable (KnownAdapter) -> Void = { _ in }) {
        (self.known, self.earlier) = (known, known)
        self.persist = persist
    }
}
