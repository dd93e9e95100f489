// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Systemd

/// Pairs with an adapter that requires it, as BlueZ's agent for that one pairing.
struct BLEPairing: Sendable {
    private static let agentPath = "/org/obd_agent/pairing"
    private static let agentManager = "org.bluez.AgentManager1"
    private let monitor: BlueZMonitor
    private let limits: BLETimeLimits
    private let pin: String?

    init(_ monitor: BlueZMonitor, _ limits: BLETimeLimits, pin: String?) {
        self.monitor = monitor
        self.limits = limits
        self.pin = pin
    }

    /// Pairs with a device and trusts it.
    ///
    /// - Parameter reason: the error that showed that pairing is required.
    func pair(_ device: Advertisement, because reason: String) async throws(BluetoothError) {
        do throws(BusError) {
            try await self.register(for: device)
            // BlueZ keeps one agent for each connection, and another device may need pairing later.
            defer {
                self.monitor.post("/org/bluez", Self.agentManager, "UnregisterAgent", [.objectPath(Self.agentPath)])
            }
            try await self.request(device)
            // A trusted device may reconnect without a confirmation.
            try await self.monitor.set(device.path, BlueZInterface.device, "Trusted", .boolean(true))
        } catch {
            throw .notPaired(device.address, "\(reason); \(error)")
        }
    }

    private func register(for device: Advertisement) async throws(BusError) {
        let pin = self.pin
        try await self.monitor.export(Self.agentPath) { Self.answer($0, pin, device.path) }
        // A PIN needs a keyboard. Without a PIN, only "just works" pairing is possible.
        let capability = pin == nil ? "NoInputNoOutput" : "KeyboardDisplay"
        try await self.monitor.call(
            "/org/bluez",
            Self.agentManager,
            "RegisterAgent",
            [.objectPath(Self.agentPath), .string(capability)]
        )
    }

    private func request(_ device: Advertisement) async throws(BusError) {
        do throws(BusError) {
            try await self.monitor.call(device.path, BlueZInterface.device, "Pair", timeout: self.limits.pairing)
        } catch {
            // AlreadyExists means that the device is paired already.
            guard case .refused(let name, _) = error, name.hasSuffix(".AlreadyExists") else { throw error }
        }
    }

    /// Answers BlueZ's requests to the agent (`org.bluez.Agent1`), for this device only.
    private static func answer(_ call: IncomingCall, _ pin: String?, _ device: String) -> CallReply {
        let refusal = CallReply.failure(name: "org.bluez.Error.Rejected", message: "pairing another device")
        guard call.member == "Release" || call.member == "Cancel" || call.arguments.first?.text == device else {
            return refusal
        }
        switch call.member {
        case "RequestPinCode": return pin.map { .success([.string($0)]) } ?? refusal
        case "RequestPasskey": return pin.flatMap(UInt32.init).map { .success([.uint32($0)]) } ?? refusal
        case "Release", "Cancel", "DisplayPinCode", "DisplayPasskey", "RequestConfirmation", "RequestAuthorization",
            "AuthorizeService":
            return .success([])
        default: return refusal
        }
    }
}
