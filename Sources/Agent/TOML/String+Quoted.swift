// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The form in which error messages quote a file.
extension String {
    /// The text in quotes, safe for one line of a terminal.
    ///
    /// Control characters are escaped. After 60 characters (Unicode scalars) the text is cut.
    package var quoted: String {
        let start = self.unicodeScalars.prefix(61)
        return (start.count > 60 ? "\(String(start.dropLast()))…" : self).debugDescription
    }

    /// The text itself if it is up to 60 bytes of printable ASCII without blanks, else the text in quotes.
    package var quotedIfNeeded: String {
        let isPlain = (1...60).contains(self.utf8.count) && self.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain ? self : self.quoted
    }
}
