// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import CBluetooth
import EventLoop
import Glibc

/// The service discovery of classic Bluetooth (Bluetooth Core, Volume 3, Part B).
package enum SDP {
    /// The service class of serial ports.
    private static let serialPort: UInt16 = 0x1101
    /// The protocol identifier of RFCOMM.
    private static let rfcomm: Int32 = 0x0003

    /// Returns the RFCOMM channels on which a device offers a serial port, in the device's order; empty if unknown.
    ///
    /// libbluetooth blocks, for up to 40 seconds with an absent device, so it runs on its own thread. The thread may
    /// end after the deadline.
    package static func serialChannels(of address: BluetoothAddress, until deadline: MonotonicTime) async -> [UInt8] {
        let search = Search()
        Thread.start(named: "sdp") {
            let channels = Self.discover(address)
            search.channels.withLock { $0 = channels }
            search.waiter.notify()
        }
        _ = await EventLoop.shared.wait(until: deadline, search.waiter)
        return search.channels.withLock { $0 }
    }

    /// The discovery thread's result, for the task that waits for it.
    private final class Search: Sendable {
        let channels = Locked<[UInt8]>([])
        let waiter = Waiter()
    }

    private static func discover(_ address: BluetoothAddress) -> [UInt8] {
        var local = bdaddr_t()
        var remote = bdaddr_t(address)
        guard let session = unsafe sdp_connect(&local, &remote, UInt32(SDP_RETRY_IF_BUSY)) else { return [] }
        defer { unsafe sdp_close(session) }
        var records = unsafe Self.records(of: session)
        var channels: [UInt8] = []
        while let entry = unsafe records {
            if let data = unsafe entry.pointee.data {
                let record = unsafe data.assumingMemoryBound(to: sdp_record_t.self)
                if let channel = unsafe Self.channel(in: record), !channels.contains(channel) {
                    channels.append(channel)
                }
                unsafe sdp_record_free(record)
            }
            unsafe records = entry.pointee.next
            unsafe free(entry)
        }
        return channels
    }

    /// Returns the records of serial ports.
    ///
    /// The caller frees them.
    private static func records(of session: UnsafeMutablePointer<sdp_session_t>) -> UnsafeMutablePointer<sdp_list_t>? {
        var wanted = uuid_t()
        unsafe sdp_uuid16_create(&wanted, Self.serialPort)
        var all: UInt32 = 0x0000_FFFF
        var records: UnsafeMutablePointer<sdp_list_t>?
        // The lists keep pointers to their elements.
        unsafe withUnsafeMutablePointer(to: &wanted) { wanted in
            unsafe withUnsafeMutablePointer(to: &all) { all in
                let search = unsafe sdp_list_append(nil, wanted)
                let attributes = unsafe sdp_list_append(nil, all)
                _ = unsafe sdp_service_search_attr_req(session, search, SDP_ATTR_REQ_RANGE, attributes, &records)
                unsafe sdp_list_free(search, nil)
                unsafe sdp_list_free(attributes, nil)
            }
        }
        return unsafe records
    }

    private static func channel(in record: UnsafeMutablePointer<sdp_record_t>) -> UInt8? {
        var protocols: UnsafeMutablePointer<sdp_list_t>?
        guard unsafe sdp_get_access_protos(record, &protocols) == 0 else { return nil }
        let channel = unsafe sdp_get_proto_port(protocols, Self.rfcomm)
        unsafe sdp_list_foreach(
            protocols,
            { list, _ in unsafe sdp_list_free(list?.assumingMemoryBound(to: sdp_list_t.self), nil) },
            nil
        )
        unsafe sdp_list_free(protocols, nil)
        return 1...30 ~= channel ? UInt8(channel) : nil
    }
}

extension bdaddr_t {
    init(_ address: BluetoothAddress) {
        let bytes = address.kernelBytes
        self.init(b: (bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]))
    }
}
