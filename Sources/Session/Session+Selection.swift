// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
package import OBD2
import Timing

// What is polled.
extension Session {
    /// What is polled now.
    package var currentSelection: Selection { self.selection }

    /// Polls another set from now on; it also outlives the connection.
    ///
    /// - Parameter duration: after which the lasting selection comes back; nil makes this one last.
    package func select(_ intervals: [ParameterKey: Duration], for duration: Duration? = nil) -> Selection {
        self.selection = Selection(
            version: max(self.selection.version, self.lasting.version) + 1,
            intervals: intervals,
            expiry: duration.map { self.clock.now + $0 }
        )
        if duration == nil { self.lasting = self.selection }
        self.applySelection()
        return self.selection
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
