// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What an adapter says that is neither data nor `OK`.
package enum Notice: Hashable, Sendable {
    /// `?`: it does not know the command, or not its digits.
    case notUnderstood
    /// `NO DATA`: nothing answered in time.
    case noData
    /// `UNABLE TO CONNECT`: no protocol was answered.
    case unableToConnect
    /// `BUS INIT: ...ERROR`: the K-line did not wake up.
    case busInitError
    /// `CAN ERROR`, `BUS ERROR`, `FB ERROR`: the bus could not be used.
    case busError
    /// `BUS BUSY`: the bus was never free.
    case busBusy
    /// `DATA ERROR`, `<DATA ERROR`, `<RX ERROR`: what came is damaged.
    case damaged
    /// `STOPPED`: a byte from us ended the work.
    case stopped
    /// `BUFFER FULL`: the rest is lost.
    case bufferFull
    /// `ACT ALERT`, `LP ALERT`: it is about to sleep.
    case lowPower
    /// `LV RESET`, `ERRnn` or a banner that nobody asked for: it has started anew, and all settings are lost.
    case restarted
}
