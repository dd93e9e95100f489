// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// How messages repeat what stands in a file.
extension String {
    /// The text in quotes, fit for one line of a terminal.
    ///
    /// Control characters are escaped, and of more than 60 characters (Unicode scalars) the rest is left out.
    package var quoted: String {
        let start = self.unicodeScalars.prefix(61)
        return (start.count > 60 ? "\(String(start.dropLast()))…" : self).debugDescription
    }

    /// The text as it is where that is fit for a line, or else in quotes.
    package var quotedIfNeeded: String {
        let isPlain = (1...60).contains(self.utf8.count) && self.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain ? self : self.quoted
    }
}
