// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension Topic {
    /// The most bytes of a topic prefix or a topic level from the file.
    ///
    /// A topic has room for 65,535 bytes in all.
    static let configurablePartLimit = 128

    /// Reads what topics begin with: one or more levels of at most 128 bytes in all.
    init(prefix text: String) throws(ValueError) {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.configurablePartLimit, levels.allSatisfy({ Topic.isLevel(String($0)) }) else {
            throw .invalidPrefix(text)
        }
        do {
            self = try Topic(text)
        } catch {
            throw .invalidPrefix(text)
        }
    }
}
