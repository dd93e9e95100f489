// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
package import OBD2

// What is polled.
extension Session {
    /// What is polled now.
    package var currentSelection: Selection { self.selection }

    /// The selection as it is when somebody wants another.
    package struct Present: Sendable {
        package var selection: Selection
        /// What is polled when no temporary selection is.
        package var lasting: Selection
        /// What the vehicle can be asked for; nil while none is identified.
        package var pollable: Set<ParameterKey>?
    }

    /// Polls another set from now on, which `choose` makes of the present one; it also outlives the connection.
    ///
    /// - Parameters:
    ///   - duration: after which the lasting selection comes back; nil makes this one last.
    ///   - choose: tells what is polled, and the dead-bands by the names of values; nothing changes where it throws.
    package func select<Failure: Error>(
        for duration: Duration? = nil,
        _ choose: @Sendable (Present) throws(Failure) -> ([ParameterKey: Duration], deadBands: [String: Double])
    ) throws(Failure) -> Selection {
        let present = Present(
            selection: self.selection,
            lasting: self.lasting,
            pollable: self.machine?.isReady == true ? self.machine?.pollable : nil
        )
        let (intervals, deadBands) = try choose(present)
        self.selection = Selection(
            version: max(self.selection.version, self.lasting.version) + 1,
            intervals: intervals,
            deadBands: deadBands,
            expiry: duration.map { self.clock.now + $0 }
        )
        if duration == nil { self.lasting = self.selection }
        self.applySelection()
        return self.selection
    }

    /// How often each parameter is really read, as far as the requests of this session tell; nil while none does.
    package var achieved: [ParameterKey: Duration]? {
        self.machine?.achieved
    }

    /// Another vehicle has come: polls what is kept for it, and ends what was temporary.
    package func adopt(_ selection: Selection) {
        self.lasting = selection
        self.selection = selection
        self.applySelection()
    }

    func expireSelection() {
        guard let expiry = self.selection.expiry, expiry <= self.clock.now else { return }
        let version = self.selection.version + 1
        self.selection = self.lasting
        self.selection.version = version
        self.applySelection()
    }

    private func applySelection() {
        self.machine?.select(self.selection)
        self.emit(.selected(self.selection))
        self.link?.wake()
    }
}
