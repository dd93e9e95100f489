// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's switch for radios, set by a key or by software (`Documentation/driver-api/rfkill.rst` of the kernel).
package enum RFKill {
    /// Whether a controller is switched off.
    ///
    /// - Parameter controller: the name of the controller, such as `hci0`.
    package static func isBlocking(_ controller: String) -> Bool {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        // The pattern matches the files "soft" (set by software) and "hard" (set by a key).
        let pattern = "/sys/class/bluetooth/\(controller)/rfkill*/[sh][oa][fr][td]"
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return false }
        return (0..<Int(unsafe found.gl_pathc)).contains { index in
            guard let path = unsafe found.gl_pathv[index] else { return false }
            return unsafe Self.isSet(path)
        }
    }

    /// Whether the file contains `1`.
    private static func isSet(_ path: UnsafePointer<CChar>) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var digit: UInt8 = 0
        return unsafe read(descriptor, &digit, 1) == 1 && digit == UInt8(ascii: "1")
    }
}
