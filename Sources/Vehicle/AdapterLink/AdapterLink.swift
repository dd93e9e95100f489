// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A byte stream to an OBD-II adapter.
///
/// A single task at a time reads and writes; any task may call ``interruptRead()``. A cancelled task does not begin to
/// wait. A task that already waits must be interrupted (``whileCancellable(_:)``): a cancellation handler for each read
/// would cost as much as the read.
///
/// A link is open from its creation to the first error or ``close()``. It never opens again: the reconnect to a lost
/// adapter uses a new link.
package protocol AdapterLink: AnyObject, Sendable {
    /// The adapter's address in the format of the configuration: `tcp:192.168.0.10:35000`.
    var address: String { get }

    /// Sends all of `bytes`.
    func write(_ bytes: [UInt8]) async throws(LinkError)

    /// Waits for bytes from the adapter, for ``interruptRead()``, or for `deadline`, whichever comes first.
    ///
    /// The session also idles in this call, so that it notices a lost link or unexpected bytes at once.
    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput

    /// Makes the present or the next ``read(until:)`` return `.interrupted`.
    func interruptRead()

    /// Returns the strength of the radio signal in dBm; nil if the link has no radio, or the strength is not available.
    func signalStrength() async -> Int?

    /// Closes the link. A waiting read throws ``LinkError/closed``. Closing twice is harmless.
    func close()
}

extension AdapterLink {
    package func signalStrength() async -> Int? { nil }

    /// Runs `body`, which uses the link, and interrupts its read when the task is cancelled.
    package func whileCancellable<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        try await withTaskCancellationHandler(operation: body) { self.interruptRead() }
    }
}

/// The result of a read of an ``AdapterLink``.
package enum LinkInput: Hashable, Sendable {
    /// The available bytes, at least one.
    case bytes([UInt8])
    /// ``AdapterLink/interruptRead()`` was called.
    case interrupted
    /// The deadline passed without a byte.
    case deadline
}

/// The reason why a link could not be opened, or was lost.
package enum LinkError: Error, Hashable, Sendable {
    /// The agent closed the link.
    case closed
    /// The peer closed the link, or the device disappeared.
    case lost(String)
    /// The link could not be opened; the reason is the system's error text.
    case cannotOpen(address: String, reason: String)
    /// The adapter did not accept the bytes in time.
    case writeTimedOut
    /// The connection over Bluetooth failed.
    case bluetooth(BluetoothError)
}

extension LinkError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the link was closed"
        case .lost(let reason): "the link was lost: \(reason)"
        case .cannotOpen(let address, let reason): "cannot open \(address): \(reason)"
        case .writeTimedOut: "write timeout: the adapter accepts no bytes"
        case .bluetooth(let error): error.description
        }
    }
}
