// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Powertrain codes that SAE J2012 defines, P34xx.
extension CodeTable {
    static var p34: String {
        """
        P3400 m Cylinder deactivation, bank 1
        P3401 oplh*12/8 Cylinder # deactivation or intake valve control
        P3405 oplh*12/8 Cylinder # exhaust valve control
        P3497 m Cylinder deactivation, bank 2
        """
    }
}
