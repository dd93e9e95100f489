// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The signal sets of the recordings.
enum SetFile {
    /// The makes whose file has the name of more than one make.
    private static let shared = ["Nissan": "NissanInfiniti"]

    /// Returns the set of a model; that of its make if the model has none or an empty one, nil if there is no set.
    static func bytes(of model: String) throws -> [UInt8]? {
        var words = model.split(separator: "-")
        while !words.isEmpty {
            let name = words.joined(separator: "-")
            let path = "obdb/sets/\(Self.shared[name] ?? name).json"
            if Recordings.has(path) {
                let set = try Recordings.bytes(path)
                if !JSON(payload: set)["commands"].elements.isEmpty { return set }
            }
            words.removeLast()
        }
        return nil
    }
}
