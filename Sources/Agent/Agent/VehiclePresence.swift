// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Session

/// The state of the connected vehicle: whether one is there, which one, and whose topics are in use.
///
/// A machine: facts of the session in, events to record out.
struct VehiclePresence: Sendable {
    /// The stages from a lost adapter to an identified vehicle.
    enum Contact: Hashable, Sendable {
        /// The link is down until the next try, or because the vehicle is parked.
        case waiting
        /// The link is being opened, or the adapter searches for a vehicle.
        case approaching
        /// A vehicle answers and is not identified yet.
        case unidentified(since: MonotonicTime)
        /// The vehicle at the adapter is the one whose topics are in use.
        case confirmed(VehicleIdentity)
        /// The vehicle at the adapter is not an expected one.
        case unexpected
    }

    /// An event to record, with its time if that is not the present.
    struct DatedEvent: Hashable, Sendable {
        var event: AgentEvent
        var time: MonotonicTime?
    }

    /// The topics in use: those of the vehicle that was identified last, or of the agent itself.
    private(set) var topics: VehicleTopics
    private(set) var contact = Contact.approaching
    /// The VIN of the vehicle that was identified last, if it may be shown.
    private(set) var vin: VIN?
    /// The name that the connected vehicle would have; nil unless it is an unexpected one.
    private(set) var unexpectedName: String?
    /// Whether the measured 12 V supply is that of the vehicle whose topics are in use.
    ///
    /// True while the vehicle is parked too, as long as the adapter was not away.
    private(set) var ownsSupply = false
    /// Whether the receiver of positions is in the vehicle whose topics are in use.
    ///
    /// The machine may have been moved while it was off, so the vehicle must have been identified since the start. It
    /// stays true without a link: a vehicle whose adapter has failed still has its position.
    private(set) var ownsReceiver = false
    /// The name of the vehicle that was identified last, also by an earlier process.
    private var previousName: String?

    init(_ topics: VehicleTopics) { self.topics = topics }

    /// The topic level of the vehicle whose topics are in use.
    var name: String { self.topics.vehicle }

    /// The connected vehicle; nil until it is confirmed.
    var identity: VehicleIdentity? {
        if case .confirmed(let identity) = self.contact { identity } else { nil }
    }

    /// Whether the vehicle at the adapter is the one whose topics are in use.
    var isConfirmed: Bool { self.identity != nil }

    /// Whether the identification of a vehicle is under way.
    var isBeingIdentified: Bool {
        switch self.contact {
        case .waiting: false
        case .approaching, .unidentified, .unexpected: true
        case .confirmed(let identity): !identity.isMapped
        }
    }

    /// An earlier process has identified the vehicle whose topics are in use.
    mutating func remembered() { self.previousName = self.name }

    /// The session's link has another state.
    ///
    /// - Returns: the `disconnected` event if a confirmed vehicle was lost.
    mutating func linkChanged(_ state: LinkState, at now: MonotonicTime) -> AgentEvent? {
        switch state {
        case .connecting, .starting:
            self.contact = .approaching
        case .connected:
            // The topics in use may be another vehicle's.
            self.contact = .unidentified(since: now)
        case .parked:
            // Another vehicle may be at the adapter when the link is up again.
            self.contact = .waiting
        case .waiting(let error, _):
            defer { self.contact = .waiting }
            // An adapter that was away may be in another vehicle.
            if case .link = error { self.ownsSupply = false }
            guard self.isConfirmed else { return nil }
            var event = AgentEvent(.disconnected)
            event.reason = error.description
            return event
        }
        return nil
    }

    /// Other topics are in use.
    mutating func topicsChanged(to topics: VehicleTopics) { self.topics = topics }

    /// The vehicle of ``topics`` was identified, or more is known about it.
    ///
    /// The VIN and the confirmation change together, because commands are judged by both.
    ///
    /// - Returns: the events of a vehicle that was not confirmed before; otherwise none.
    mutating func vehicleIdentified(_ identity: VehicleIdentity, vin: VIN?) -> [DatedEvent] {
        defer {
            self.contact = .confirmed(identity)
            self.vin = vin
            self.unexpectedName = nil
            (self.ownsSupply, self.ownsReceiver) = (true, true)
            self.previousName = self.name
        }
        guard !self.isConfirmed else { return [] }
        var events: [DatedEvent] = []
        if case .unidentified(let since) = self.contact {
            events.append(DatedEvent(event: AgentEvent(.connected), time: since))
        }
        if let previous = self.previousName, previous != self.name {
            var event = AgentEvent(.vehicleChanged)
            event.previous = previous
            events.append(DatedEvent(event: event))
        }
        var event = AgentEvent(.vehicleIdentified)
        event.vin = vin?.description
        events.append(DatedEvent(event: event))
        return events
    }

    /// The vehicle at the adapter is not an expected one.
    ///
    /// - Returns: the `wrong_vehicle` event; nil if it was recorded for the same vehicle before.
    mutating func unexpectedVehicleFound(_ found: VehicleNaming.Identified) -> AgentEvent? {
        defer { self.unexpectedName = found.name }
        (self.contact, self.vin, self.ownsSupply, self.ownsReceiver) = (.unexpected, nil, false, false)
        guard self.unexpectedName != found.name else { return nil }
        var event = AgentEvent(.wrongVehicle)
        (event.vin, event.vehicle) = (found.vin?.description, found.name)
        return event
    }
}
