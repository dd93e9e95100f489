// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Reads the table `[commands]`.
enum CommandsReader {
    typealias Commands = Configuration.Commands

    static func read(_ cursor: inout ConfigurationCursor) -> Commands {
        let commands = Commands(
            allow: Self.allowedCommands(&cursor),
            rawWriting: cursor.flag(.commandsRawWriting) ?? false,
            engineOverride: cursor.flag(.commandsEngineOverride) ?? false,
            buttons: Self.buttons(&cursor),
            unsignedRole: cursor.word(.commandsUnsignedRole) ?? .observer,
            trustedKeys: cursor.path(.commandsTrustedKeys)
        )
        let effects: [(Key, Bool, String)] = [
            (.commandsRawWriting, commands.rawWriting, "raw_request"),
            (.commandsEngineOverride, commands.engineOverride, "clear_codes"),
        ]
        for (key, isOn, command) in effects where isOn && !commands.allow.contains(command) {
            cursor.report(key.path, Self.lacking(command))
        }
        for button in commands.buttons.sorted() {
            if !commands.allow.contains(button) {
                cursor.report(Key.commandsButtons.path, Self.lacking(button))
            } else if commands.unsignedRole == .none {
                cursor.report(
                    Key.commandsButtons.path,
                    "has no effect with unsigned_role = \"none\", because nobody signs a press"
                )
            } else if Commands.forUnsigned.contains(button), commands.unsignedRole != .specialist {
                cursor.report(
                    Key.commandsButtons.path,
                    "\(button) has no effect without unsigned_role = \"specialist\", because nobody signs a press"
                )
            }
        }
        if commands.engineOverride, commands.trustedKeys == nil {
            cursor.report(
                Key.commandsEngineOverride.path,
                "has no effect without trusted_keys, because an override must be signed"
            )
        }
        if commands.unsignedRole == .none, commands.trustedKeys == nil, !commands.allow.isEmpty {
            cursor.report(.commandsUnsignedRole, .noSenderForAnyCommand)
        } else {
            Self.reportCommandsWithoutSender(commands, &cursor)
        }
        return commands
    }

    private static func lacking(_ command: String) -> String {
        "has no effect because neither allow nor allow_also has \(command)"
    }

    /// Returns the commands of `allow`, or else the default ones and those of `allow_also`.
    private static func allowedCommands(_ cursor: inout ConfigurationCursor) -> Set<String> {
        let list = Self.commands(.commandsAllow, &cursor)
        let others = Self.commands(.commandsAllowAlso, &cursor) ?? []
        if list != nil, !others.isEmpty {
            cursor.report(
                Key.commandsAllowAlso.path,
                "adds to the default commands, which allow replaces. Try: only one of them, allow or allow_also"
            )
        }
        return (list ?? Commands.defaultAllow).union(others)
    }

    private static func commands(_ key: Key, _ cursor: inout ConfigurationCursor) -> Set<String>? {
        guard let texts = cursor.texts(key) else { return nil }
        let known = Commands.known
        for (text, element) in texts where !known.contains(text) {
            cursor.report(key, .unknownWord(text, known: known), element: element)
        }
        return Set(texts.map(\.text))
    }

    private static func buttons(_ cursor: inout ConfigurationCursor) -> Set<String> {
        let texts = cursor.texts(.commandsButtons) ?? []
        for (text, element) in texts where !Commands.knownButtons.contains(text) {
            cursor.report(.commandsButtons, .unknownWord(text, known: Commands.knownButtons), element: element)
        }
        return Set(texts.map(\.text).filter(Commands.knownButtons.contains))
    }

    /// Reports each command that the file adds to the default ones although no sender has the right to it.
    private static func reportCommandsWithoutSender(_ commands: Commands, _ cursor: inout ConfigurationCursor) {
        guard commands.trustedKeys == nil else { return }
        let isAdded = cursor.value(.commandsAllow) == nil
        for name in Commands.known where commands.allow.contains(name) && !Commands.defaultAllow.contains(name) {
            let isForUnsigned = Commands.forUnsigned.contains(name)
            guard !isForUnsigned || commands.unsignedRole != .specialist else { continue }
            cursor.report(isAdded ? .commandsAllowAlso : .commandsAllow, .noSender(name, isForUnsigned: isForUnsigned))
        }
    }
}
