// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CSocketCAN
import Glibc

/// The system calls of CAN, each without a state.
enum CANSocket {
    /// The largest message that is received: one of ISO 15765-2 without the longer length of 2016.
    static let messageLimit = 4095

    /// Returns a raw socket on the interface with this name, and the number of the interface.
    static func openRaw(_ name: String) throws(CANError) -> (descriptor: Int32, index: Int32) {
        let descriptor = CSocketCAN_open_raw()
        guard descriptor >= 0 else { throw Self.error(errno, "socket", name) }
        do throws(CANError) {
            var found = CSocketCAN_interface()
            guard unsafe CSocketCAN_find(descriptor, name, &found) == 0 else { throw Self.error(errno, "ioctl", name) }
            guard found.is_can != 0 else { throw .notCAN(name) }
            guard found.is_up != 0 else { throw .down(name) }
            guard CSocketCAN_bind_raw(descriptor, found.index) == 0 else { throw Self.error(errno, "bind", name) }
            try Self.proveTransport(name)
            return (descriptor, found.index)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    /// Checks that the kernel has ISO 15765-2, which a vehicle that sleeps would hide until its next drive.
    private static func proveTransport(_ name: String) throws(CANError) {
        let descriptor = CSocketCAN_transport_socket()
        guard descriptor >= 0 else { throw Self.transportError(errno, name) }
        _ = Glibc.close(descriptor)
    }

    /// Returns the error of a socket of ISO 15765-2, beside a raw socket that is open: the kernel and the service have CAN.
    private static func transportError(_ failure: Int32, _ name: String) -> CANError {
        let lacksProtocol = failure == EPROTONOSUPPORT || failure == ESOCKTNOSUPPORT
        return lacksProtocol ? .noTransport : Self.error(failure, "socket of ISO 15765-2", name)
    }

    /// Returns a socket of ISO 15765-2.
    static func openTransport(_ channel: CANChannel, _ index: Int32, _ name: String) throws(CANError) -> Int32 {
        var flags = UInt32(CAN_ISOTP_TX_PADDING)
        if channel.receive == nil { flags |= UInt32(CAN_ISOTP_SF_BROADCAST) }
        if let address = channel.addressExtension {
            flags |= UInt32(CAN_ISOTP_EXTEND_ADDR)
            if address.reply != address.request { flags |= UInt32(CAN_ISOTP_RX_EXT_ADDR) }
        }
        let descriptor = CSocketCAN_open_transport(
            index,
            channel.transmit.word,
            channel.receive?.word ?? 0,
            flags,
            channel.addressExtension?.request ?? 0,
            channel.addressExtension?.reply ?? 0
        )
        guard descriptor >= 0 else { throw Self.transportError(errno, name) }
        return descriptor
    }

    static func filter(_ descriptor: Int32, _ filters: [CANFilter], _ name: String) throws(CANError) {
        let words = filters.map { filter in
            // The kind of the identifier always counts; frames without data never match.
            can_filter(
                can_id: filter.identifier.word,
                can_mask: filter.mask | CANIdentifier.extendedFlag | CANIdentifier.remoteFlag
            )
        }
        guard
            unsafe words.withUnsafeBufferPointer({ unsafe CSocketCAN_filter(descriptor, $0.baseAddress, $0.count) })
                == 0
        else { throw Self.error(errno, "setsockopt", name) }
    }

    static func details(_ index: Int32, _ name: String) throws(CANError) -> CANDetails {
        var found = CSocketCAN_controller()
        guard unsafe CSocketCAN_controller(index, &found) == 0 else { throw Self.error(errno, "rtnetlink", name) }
        let states: [CANDetails.State] = [.active, .warning, .passive, .busOff, .stopped, .sleeping]
        let hasCounters = found.has_counters != 0
        return CANDetails(
            bitRate: found.bit_rate == 0 ? nil : found.bit_rate,
            state: states.indices.contains(Int(found.state)) ? states[Int(found.state)] : nil,
            isListenOnly: found.is_listen_only != 0,
            isOneShot: found.is_one_shot != 0,
            transmitErrors: hasCounters ? found.transmit_errors : nil,
            receiveErrors: hasCounters ? found.receive_errors : nil
        )
    }

    /// Sends a message, which the kernel takes whole or not at all.
    static func send(_ message: [UInt8], _ descriptor: Int32, _ name: String) throws(CANError) {
        let count = unsafe message.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return }
        switch errno {
        case ENOBUFS, EAGAIN, EINTR: throw .queueFull
        // The failure of the frame before is reported here if nobody has read it.
        case ECOMM: throw .notAcknowledged
        case let failure: throw Self.error(failure, "write", name)
        }
    }

    /// Sends a frame over a raw socket.
    static func sendFrame(
        _ data: [UInt8],
        _ identifier: CANIdentifier,
        _ descriptor: Int32,
        _ name: String
    ) throws(CANError) {
        var frame = can_frame()
        frame.can_id = identifier.word
        frame.len = UInt8(min(data.count, 8))
        unsafe withUnsafeMutableBytes(of: &frame.data) { unsafe $0.copyBytes(from: data.prefix(8)) }
        let count = unsafe withUnsafeBytes(of: frame) { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count < 0 else { return }
        switch errno {
        case ENOBUFS, EAGAIN, EINTR: throw .queueFull
        case let failure: throw Self.error(failure, "write", name)
        }
    }

    /// Returns the next frame of a raw socket; nil if there is none.
    static func receiveFrame(_ descriptor: Int32, _ name: String) throws(CANError) -> CANInput? {
        var frame = can_frame()
        let size = MemoryLayout<can_frame>.size
        var arrival: Int64 = -1
        let count = unsafe CSocketCAN_receive(descriptor, &frame, &arrival)
        guard count >= 0 else {
            switch errno {
            // The frames that were lost in a full buffer are not told apart from those that no filter lets through.
            case EAGAIN, EINTR, ENOBUFS: return nil
            case let failure: throw Self.error(failure, "recvmsg", name)
            }
        }
        guard count == size else { return nil }
        let length = min(Int(frame.len), 8)
        let data = unsafe withUnsafeBytes(of: &frame.data) { unsafe Array($0.prefix(length)) }
        guard frame.can_id & CANIdentifier.errorFlag == 0 else {
            return .errors(CANErrorReport(bits: frame.can_id & 0x1FFF_FFFF, data: data))
        }
        let time = arrival < 0 ? nil : MonotonicTime(sinceBoot: .nanoseconds(arrival))
        return .frame(CANIdentifier(word: frame.can_id), data, at: time)
    }

    /// Returns the next message of a socket of ISO 15765-2, or its failure; nil if there is neither.
    static func receiveMessage(
        _ descriptor: Int32,
        _ channel: CANChannel,
        _ name: String
    ) throws(CANError) -> CANInput? {
        var failure: Int32 = 0
        var count = 0
        let message = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.messageLimit) { buffer in
            count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC))
            failure = errno
            return unsafe Array(buffer.prefix(max(0, count)))
        }
        guard count < 0 else {
            return count > Self.messageLimit ? .failure(.damaged, channel) : .message(message, channel)
        }
        switch failure {
        case EAGAIN, EINTR: return nil
        // A frame was missing (timeout), out of order, or not valid.
        case ETIMEDOUT, EILSEQ, EBADMSG, EMSGSIZE: return .failure(.damaged, channel)
        case ECOMM: return .failure(.notAcknowledged, channel)
        case ENOBUFS: return .failure(.queueFull, channel)
        default: throw Self.error(failure, "recv", name)
        }
    }

    /// Returns the error for a failed system call.
    private static func error(_ number: Int32, _ call: String, _ name: String) -> CANError {
        switch number {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: return .noSupport
        case ENODEV, ENXIO: return .noInterface(name)
        case ENETDOWN: return .down(name)
        default:
            guard let text = unsafe strerror(number) else { return .system(call, "error \(number)") }
            return unsafe .system(call, String(cString: text))
        }
    }
}

extension CANIdentifier {
    static let extendedFlag: UInt32 = 0x8000_0000
    static let remoteFlag: UInt32 = 0x4000_0000
    static let errorFlag: UInt32 = 0x2000_0000

    /// The identifier as the kernel has it, with the flag of 29 bits.
    var word: UInt32 { self.number | (self.isExtended ? Self.extendedFlag : 0) }

    init(word: UInt32) {
        self.init(word, isExtended: word & Self.extendedFlag != 0)
    }
}
