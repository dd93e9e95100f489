// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension String {
    /// The text as one word of a shell's command line, in quotes if it has other than harmless characters.
    ///
    /// The names of models are those of strangers' files.
    package var shellWord: String {
        let text = Printable.text(self)
        let harmless: (Character) -> Bool = { character in
            character.isASCII && (character.isLetter || character.isNumber || "-_./:,+@%=".contains(character))
        }
        guard text.isEmpty || !text.allSatisfy(harmless) else { return text }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
