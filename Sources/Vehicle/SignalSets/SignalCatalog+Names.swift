// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension SignalCatalog {
    /// The path of the signal set in a repository of the OBDb project.
    package static let pathInRepository = "signalsets/v3/default.json"

    /// Returns the name of the set in a file `Make-Model.json`; nil for any other name.
    package static func name(ofFile file: String) -> String? {
        guard file.hasSuffix(".json"), !file.hasPrefix(".") else { return nil }
        let name = String(file.dropLast(".json".count))
        return name.isEmpty ? nil : name
    }

    /// Returns the name of the set in a repository's folder, without the branch that a downloaded one has behind it.
    package static func name(ofRepository folder: String) -> String {
        for branch in ["-main", "-master"] where folder.hasSuffix(branch) {
            return String(folder.dropLast(branch.count))
        }
        return folder
    }

    /// Returns the sets among the files of an archive.
    ///
    /// If the archive has repositories, only their sets count. Else each file `Make-Model.json` is a set, up to one
    /// folder deep.
    package static func sets(inArchive archive: String, _ members: [String]) -> [(name: String, place: Place)] {
        let paths = members.map { member in
            (member, member.split(separator: "/").map(String.init).filter { $0 != "." })
        }
        let depth = Self.pathInRepository.split(separator: "/").count
        let repositories = paths.filter {
            $1.count > depth && $1.suffix(depth).joined(separator: "/") == Self.pathInRepository
        }
        .map { (member, path) in
            (Self.name(ofRepository: path[path.count - depth - 1]), Place.member(member, archive: archive))
        }
        guard repositories.isEmpty else { return repositories }
        return paths.filter { $1.count <= 2 }.compactMap { (member, path) in
            path.last.flatMap(Self.name(ofFile:)).map { ($0, Place.member(member, archive: archive)) }
        }
    }

    /// Whether bytes may be a signal set, without reading them as JSON: they name its commands.
    package static func mayBeSet(_ bytes: [UInt8]) -> Bool {
        let key = Array("\"commands\"".utf8)
        return bytes.indices.dropLast(key.count - 1).contains { bytes[$0] == key[0] && bytes[$0...].starts(with: key) }
    }

    /// Returns how many requests and signals a set has; nil if the bytes are no signal set.
    package static func counts(of bytes: [UInt8]) -> (commands: Int, signals: Int)? {
        let json = JSON(payload: bytes)
        guard case .array(let commands) = json["commands"] else { return nil }
        return (commands.count, commands.reduce(0) { $0 + $1["signals"].elements.count })
    }
}
