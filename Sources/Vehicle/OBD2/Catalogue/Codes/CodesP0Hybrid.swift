// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Codes of hybrid and electric propulsion that SAE J2012 defines, from P0Axx.
extension CodeTable {
    static var p0A: String {
        """
        P0A00 crlhi Motor electronics coolant temperature sensor
        P0A05 olh Motor electronics coolant pump control
        P0A08 cl DC/DC converter status
        P0A0A cplhi High-voltage interlock
        P0A0F . Engine failed to start
        P0A10 h DC/DC converter status
        P0A11 olh DC/DC converter enable
        P0A14 olh Engine mount A control
        P0A17 crl Motor torque sensor
        P0A1A . Generator control module
        P0A1B . Drive motor A control module
        P0A1C . Drive motor B control module
        P0A1D . Hybrid powertrain control module
        P0A1E . Starter generator control module
        P0A1F . Battery energy control module
        P0A20 hi Motor torque sensor
        P0A22 crlhi Generator torque sensor
        P0A27 clh Hybrid battery power-off
        P0A2A crlhi Drive motor A temperature sensor
        P0A2F . Drive motor A too hot
        P0A30 crlhi Drive motor B temperature sensor
        P0A35 . Drive motor B too hot
        P0A36x crlhi Generator temperature sensor
        P0A3B . Generator too hot
        P0A3C . Drive motor A inverter too hot
        P0A3D . Drive motor B inverter too hot
        P0A3E . Generator inverter too hot
        P0A3F crlhi Drive motor A position sensor
        P0A44 . Drive motor A overspeed
        P0A45 crlhi Drive motor B position sensor
        P0A4A . Drive motor B overspeed
        P0A4B crlhi Generator position sensor
        P0A50 . Generator overspeed
        P0A51 crlh*A..B Drive motor # current sensor
        P0A59x crlh Generator current sensor
        P0A5D .<>*U..W Drive motor A phase # current
        P0A66x .<>*U..W Drive motor B phase # current
        P0A6F .<>*U..W Generator phase # current
        P0A78 p*A..B Drive motor # inverter
        P0A7A p Generator inverter
        P0A7B . Battery energy control module asks for the malfunction indicator lamp
        P0A7C . Motor electronics too hot
        P0A7D . Hybrid battery pack: state of charge low
        P0A7E . Hybrid battery pack too hot
        P0A7F . Hybrid battery pack worn
        P0A80 . Hybrid battery pack to be replaced
        P0A81 ofklh Hybrid battery pack cooling fan 1 control
        P0A86x crlhi 14 V power module current sensor
        P0A8B .u<> 14 V power module system voltage
        P0A8F p 14 V power module system
        P0A90 p*A..B Drive motor #
        P0A92 p Hybrid generator
        P0A93 p Inverter cooling system
        P0A94 p DC/DC converter
        P0A95 . High-voltage fuse
        P0A96x cfklh Hybrid battery pack cooling fan 2 control
        P0A9B crlhi Hybrid battery temperature sensor A
        P0AA0 cdq Hybrid battery positive contactor
        P0AA3 cdq Hybrid battery negative contactor
        P0AA6 . Hybrid battery voltage system: isolation fault
        P0AA7 crlhi Hybrid battery voltage isolation sensor
        P0AAC crlhi Hybrid battery pack air temperature sensor A
        P0AB1 crlhi Hybrid battery pack air temperature sensor B
        P0AB6 olh Engine mount B control
        P0AB9 p Hybrid system
        P0ABA crlhi Hybrid battery pack voltage sense
        P0ABF crlhi Hybrid battery pack current sensor
        P0AC4 . Hybrid powertrain control module asks for the malfunction indicator lamp
        P0AC5 crlhi*B..C Hybrid battery temperature sensor #
        P0ACF cfklh Hybrid battery pack cooling fan 3 control
        P0AD4 . Hybrid battery pack: air flow too low
        P0AD5 orlh Hybrid battery pack air flow valve A control
        P0AD9 orlh Hybrid battery positive contactor control
        P0ADD orlh Hybrid battery negative contactor control
        P0AE1 cdq Hybrid battery precharge contactor
        P0AE4 crlh Hybrid battery precharge contactor control
        P0AE8 crlhi Hybrid battery temperature sensor D
        P0AED crlhi*A..B Drive motor inverter temperature sensor #
        P0AF7 . 14 V power module too hot inside
        P0AF8 .u<> Hybrid battery system voltage
        """
    }

    static var p0B: String {
        """
        P0B00 .<>*U..W Auxiliary transmission fluid pump motor phase # current
        P0B09x olh Auxiliary transmission fluid pump motor supply
        P0B0C . Auxiliary transmission fluid pump: hydraulic leak
        P0B0D . Auxiliary transmission fluid pump motor control module
        P0B3B crlhi*A..Z Hybrid battery voltage sense #
        """
    }

    static var p0C: String {
        """
        P0C76 . Hybrid battery system takes too long to discharge
        P0CA3 p DC/DC converter step-up voltage
        P0CD1 c Charge port door release control
        P0CD2 p Charge port door release
        P0CF9 p Control pilot charging switch
        """
    }

    /// The codes of on-board chargers in repair manuals of vehicles; some in those of one manufacturer only.
    static var p0D: String {
        """
        P0D01 p Control pilot ventilation switch
        P0D07 cdq Battery charger positive contactor
        P0D0A orlh Battery charger positive contactor control
        P0D0E cdq Battery charger negative contactor
        P0D11 orlh Battery charger negative contactor control
        P0D20 p Battery charger output voltage
        P0D22 p Battery charger output current
        P0D26 . Battery charger takes too long to precharge
        P0D27 . Battery charger input voltage too low
        P0D2A . Battery charger input current too high
        P0D2B c Control pilot indicator control
        P0D2C c Charge status indicator control
        P0D2D crlh Drive motor A inverter voltage sensor
        P0D3A lh Battery charger input current sensor
        P0D3E rlh Battery charger input voltage sensor
        P0D43 rlh Battery charger 14 V output voltage sensor
        P0D4D rlh Battery charger output voltage sensor
        P0D5E . Battery charger takes too long to discharge
        """
    }

    static var p0E: String {
        """
        P0E00x crlh*U..W Generator phase # current sensor
        P0E5E p Battery charger control module A processor
        P0E71 p Generator torque
        """
    }
}
