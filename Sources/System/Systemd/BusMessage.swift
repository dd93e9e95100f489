// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// A message of sd-bus, on the bus thread.
///
/// The message wraps a pointer that the caller must keep valid while the message is in use.
@safe
struct BusMessage {
    let pointer: OpaquePointer

    init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    var sender: String { unsafe Self.text(sd_bus_message_get_sender(self.pointer)) }
    var path: String { unsafe Self.text(sd_bus_message_get_path(self.pointer)) }
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(self.pointer)) }
    var member: String { unsafe Self.text(sd_bus_message_get_member(self.pointer)) }

    /// The content of a reply: its arguments or its error.
    var result: Result<[BusValue], BusError> {
        guard unsafe sd_bus_message_is_method_error(self.pointer, nil) > 0 else {
            return .success(MessageReader.arguments(of: self))
        }
        guard let error = unsafe sd_bus_message_get_error(self.pointer) else { return .failure(.disconnected) }
        let name = unsafe Self.text(error.pointee.name)
        switch name {
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout", "System.Error.ETIMEDOUT":
            return .failure(.timedOut)
        case "System.Error.ENOTCONN", "System.Error.ECONNRESET":
            return .failure(.disconnected)
        default:
            return .failure(.refused(name: name, message: unsafe Self.text(error.pointee.message)))
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}
