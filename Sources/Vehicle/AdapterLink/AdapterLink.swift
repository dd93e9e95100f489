// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A byte stream to an OBD-II adapter.
///
/// One task at a time reads and writes; ``wake()`` may come from any. A cancelled task waits for nothing, but one that
/// waits already has to be woken (``whileCancellable(_:)``): a handler for each read would cost as much as the read.
///
/// A link is open from its creation to the first error or ``close()``, and is never opened again: a lost adapter is
/// reached by a new link.
package protocol AdapterLink: AnyObject, Sendable {
    /// What the link reaches, as the configuration spells it: `tcp:192.168.0.10:35000`.
    var address: String { get }

    /// Sends all of `bytes`.
    func write(_ bytes: [UInt8]) async throws(LinkError)

    /// Waits for bytes from the adapter, for ``wake()``, or for `deadline`, whichever comes first.
    ///
    /// Also the session's way to idle: a loss is seen at once, and so is what an adapter says unasked.
    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput

    /// Makes the present or the next ``read(until:)`` return `.woken`.
    func wake()

    /// The strength of the radio signal in dBm; nil where there is none, or it can't be had.
    func signalStrength() async -> Int?

    /// Closes the link. A waiting read throws ``LinkError/closed``. Closing twice is harmless.
    func close()
}

extension AdapterLink {
    package func signalStrength() async -> Int? { nil }

    /// Runs `body`, which uses the link, and wakes the link when the task is cancelled.
    package func whileCancellable<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        try await withTaskCancellationHandler(operation: body) { self.wake() }
    }
}

/// What a read of an ``AdapterLink`` ended with.
package enum LinkInput: Hashable, Sendable {
    /// At least one byte, as many as were there.
    case bytes([UInt8])
    /// ``AdapterLink/wake()`` was called.
    case woken
    /// Nothing came until the deadline.
    case deadline
}

/// Why a link could not be opened or is no more.
package enum LinkError: Error, Hashable, Sendable {
    /// This side closed it.
    case closed
    /// The other side closed it, or the device is gone.
    case lost(String)
    /// It could not be opened: the address, and what the system said.
    case cannotOpen(address: String, reason: String)
    /// The adapter does not take our bytes.
    case writeTimedOut
    /// It could not be reached over Bluetooth.
    case bluetooth(BluetoothError)
}

extension LinkError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the link was closed"
        case .lost(let reason): "the link was lost: \(reason)"
        case .cannotOpen(let address, let reason): "cannot open \(address): \(reason)"
        case .writeTimedOut: "the adapter does not take what is sent to it"
        case .bluetooth(let error): error.description
        }
    }
}
