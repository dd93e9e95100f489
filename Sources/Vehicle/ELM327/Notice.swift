// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A message of the adapter itself that is neither data nor `OK`.
package enum Notice: Hashable, Sendable {
    /// `?`: the adapter does not know the command, or its digits are not valid.
    case notUnderstood
    /// `NO DATA`: no ECU answered in time.
    case noData
    /// `UNABLE TO CONNECT`: no ECU answered on any protocol.
    case unableToConnect
    /// `BUS INIT: ...ERROR`: the K-line did not wake up.
    case busInitError
    /// `CAN ERROR`, `BUS ERROR`, `FB ERROR`: the bus cannot be used.
    case busError
    /// `BUS BUSY`: the bus was never free.
    case busBusy
    /// `DATA ERROR`, `<DATA ERROR`, `<RX ERROR`: the received data is damaged.
    case damaged
    /// `STOPPED`: a byte from the agent interrupted the command.
    case stopped
    /// `BUFFER FULL`: the rest of the data is lost.
    case bufferFull
    /// `ACT ALERT`, `LP ALERT`: the adapter is about to sleep.
    case lowPower
    /// `LV RESET`, `ERRnn` or an unexpected banner: the adapter restarted, and its settings are lost.
    case restarted
}

extension Notice: CustomStringConvertible {
    /// The adapter's own text, as the data sheet of the ELM327 writes it.
    package var description: String {
        switch self {
        case .notUnderstood: "?"
        case .noData: "NO DATA"
        case .unableToConnect: "UNABLE TO CONNECT"
        case .busInitError: "BUS INIT: ERROR"
        case .busError: "BUS ERROR"
        case .busBusy: "BUS BUSY"
        case .damaged: "DATA ERROR"
        case .stopped: "STOPPED"
        case .bufferFull: "BUFFER FULL"
        case .lowPower: "LP ALERT"
        case .restarted: "LV RESET"
        }
    }
}
