// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CANBus
import ELM327
import SocketCAN

/// The open channels of a CAN port: one for each address of requests, and one for each ECU.
struct CANChannels {
    let port: any CANPort
    private var channels: Set<CANChannel> = []

    /// The identifiers of the frames that are received although they are no replies.
    private var heard: [CANIdentifier] = []
    /// The filters of the J1939 group that is waited for.
    private var groups: [CANFilter] = []
    /// The most filters of a socket (Linux, `CAN_RAW_FILTER_MAX`).
    private static let filterLimit = 512

    /// The most channels; beyond that, those of custom parameters are closed.
    private static let limit = 40

    init(_ port: any CANPort) {
        self.port = port
    }

    /// Opens the channels that a request needs.
    ///
    /// - Returns: the channel over which it is sent.
    mutating func open(_ route: CANRoute) throws(CANError) -> CANChannel {
        func identifier(_ number: UInt32) -> CANIdentifier { CANIdentifier(number, isExtended: route.isExtended) }
        let transmit = identifier(route.transmit)
        if let responder = route.responder, !route.isFunctional {
            let channel = CANChannel(
                transmit: transmit,
                receive: identifier(responder.identifier),
                addressExtension: route.addressExtension.map(CANChannel.Extension.init)
            )
            try self.open(channel)
            return channel
        }
        if let responder = route.responder { try self.open(ecuWith: identifier(responder.identifier)) }
        if route.responder == nil, !route.isExtended { try self.openAll() }
        let channel = CANChannel(transmit: transmit, receive: nil)
        try self.open(channel)
        return channel
    }

    /// Opens a channel to each of the eight possible ECUs with 11 bits, until the ECUs are known.
    private mutating func openAll() throws(CANError) {
        guard !self.areECUsKnown else { return }
        for number in 0x7E8...0x7EF as ClosedRange<UInt32> {
            try self.open(ecuWith: CANIdentifier(number, isExtended: false))
        }
    }

    private var areECUsKnown = false

    /// Keeps the channels of these ECUs alone, so that the kernel does not answer the frames of other testers' dialogues.
    mutating func keep(_ ecus: some Sequence<ECUAddress>, on bus: BusProtocol) throws(CANError) {
        self.areECUsKnown = true
        let kept = Set(ecus)
        for channel in self.channels where channel.ecu.map({ !kept.contains($0) }) ?? false { self.close(channel) }
        for case .can29(let address) in kept {
            try self.open(ecuWith: CANIdentifier(0x18DA_F100 | UInt32(address), isExtended: true))
        }
    }

    /// Opens the channel of an ECU that replies with an identifier.
    mutating func open(ecuWith identifier: CANIdentifier) throws(CANError) {
        guard self.channel(receiving: identifier) == nil else { return }
        let request = CANRoute.request(to: identifier.number, isExtended: identifier.isExtended)
        let transmit = CANIdentifier(request, isExtended: identifier.isExtended)
        try self.open(CANChannel(transmit: transmit, receive: identifier))
    }

    /// Returns the open channel whose replies have an identifier.
    func channel(receiving identifier: CANIdentifier) -> CANChannel? {
        self.channels.first { $0.receive == identifier }
    }

    private mutating func open(_ channel: CANChannel) throws(CANError) {
        guard !self.channels.contains(channel) else { return }
        // Two sockets would both answer the first frame of a long reply.
        if let receive = channel.receive, let other = self.channel(receiving: receive) { self.close(other) }
        if self.channels.count >= Self.limit {
            for open in self.channels where open.isCustom { self.close(open) }
        }
        try self.port.open(channel)
        self.channels.insert(channel)
        if channel.isCustom { try self.filterReplies() }
    }

    private mutating func close(_ channel: CANChannel) {
        self.port.close(channel)
        self.channels.remove(channel)
    }

    /// Has the frames with these identifiers received, besides those of replies.
    mutating func hear(_ identifiers: [CANIdentifier]) throws(CANError) {
        guard self.heard != identifiers else { return }
        self.heard = identifiers
        try self.filterReplies()
    }

    /// Has the frames received that may belong to a group of J1939, besides the others; nil: of no group any more.
    mutating func receive(group: UInt32?) throws(CANError) {
        let filters = group.map(Self.filters) ?? []
        guard self.groups != filters else { return }
        self.groups = filters
        try self.filterReplies()
    }

    /// Returns the filters for a group, for its long messages and for its refusals, from every sender with any priority.
    private static func filters(of group: UInt32) -> [CANFilter] {
        var pages: [UInt32] = []
        for group in [group, 0xE800, 0xEB00, 0xEC00] {
            // The groups to one node have its address in their lower byte (SAE J1939-21, PDU1): to all, or to a tester.
            let isAddressed = group >> 8 & 0xFF < 0xF0
            pages += isAddressed ? [group | 0xFF, group | 0xF9] : [group]
        }
        return pages.map { CANFilter(CANIdentifier($0 << 8, isExtended: true), mask: 0x03FF_FF00) }
    }

    /// Has the frames of replies received: of the ECUs of on-board diagnostics, and of those with other addresses; and
    /// those that are heard.
    func filterReplies() throws(CANError) {
        let usual = [
            CANFilter(CANIdentifier(0x7E8, isExtended: false), mask: 0x7F8),
            CANFilter(CANIdentifier(0x18DA_F100, isExtended: true), mask: 0x1FFF_FF00),
        ]
        let custom = self.channels.lazy.filter(\.isCustom).compactMap(\.receive)
        let filters = usual + self.groups + (custom + self.heard).map { CANFilter($0, mask: 0x1FFF_FFFF) }
        try self.port.receiveFrames(filters.count > Self.filterLimit ? CANFilter.all : filters)
    }
}

extension CANChannel {
    /// The ECU whose replies the channel receives.
    var ecu: ECUAddress? {
        self.receive.map { CANRoute.address(of: $0.number, isExtended: $0.isExtended) }
    }

    /// Whether the channel has another address than those of on-board diagnostics.
    fileprivate var isCustom: Bool {
        self.receive.map { CANRoute.ecu(of: $0.number, isExtended: $0.isExtended) == nil } ?? false
    }
}
