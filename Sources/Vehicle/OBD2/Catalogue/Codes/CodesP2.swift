// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Powertrain codes that SAE J2012 defines, P20xx to P2Axx.
extension CodeTable {
    static var p20: String {
        """
        P2000 .*2 NOx trap efficiency too low, bank #
        P2002 .*2 Diesel particulate filter efficiency too low, bank #
        P2004 q*2 Intake manifold runner control, bank #
        P2006 d*2 Intake manifold runner control, bank #
        P2008 olh*2 Intake manifold runner control, bank #
        P200A p*2 Intake manifold runner, bank #
        P200C .*2 Diesel particulate filter too hot, bank #
        P200E .*2 Catalyst too hot, bank #
        P2014 crlhi*2 Intake manifold runner position sensor or switch, bank #
        P201A r Reductant injector, bank 2 unit 1
        P2024 cplhi Fuel vapour temperature sensor
        P2029 . Fuel-fired heater switched off
        P202A olh Reductant tank heater control
        P202D . Reductant leak
        P202E r Reductant injector, bank 1 unit 1
        P202F r Reductant supply control
        P2030 p Fuel-fired heater
        P2031 clh Exhaust gas temperature sensor, bank 1 sensor 2
        P2034 clh Exhaust gas temperature sensor, bank 2 sensor 2
        P2037 crl Reductant injection air pressure sensor A
        P203A crlhi Reductant level sensor
        P203F . Reductant level low
        P2040 hi Reductant injection air pressure sensor A
        P2042 crlhi Reductant temperature sensor
        P2047 olh Reductant injector, bank 1 unit 1
        P204A crlhi Reductant pressure sensor
        P204F p Reductant system, bank 1
        P2050 olh Reductant injector, bank 2 unit 1
        P2053 olh Reductant injector, bank 1 unit 2
        P2056 olh Reductant injector, bank 2 unit 2
        P2059 o Reductant injection air pump control
        P205A crlhi Reductant tank temperature sensor
        P205F p Reductant system, bank 2
        P2060 lh Reductant injection air pump control
        P2062 olh Reductant supply control
        P2065 crlhi Fuel level sensor B
        P206E q Intake manifold tuning valve, bank 2
        P206F d Intake manifold tuning valve, bank 2
        P2070 qd Intake manifold tuning valve, bank 1
        P2072 . Throttle actuator control: blocked by ice
        P2073 . Manifold pressure or air flow does not match throttle position at idle
        P2074 . Manifold pressure or air flow does not match throttle position at higher load
        P2075 crlhi Intake manifold tuning valve position sensor or switch, bank 1
        P207A crlhi Intake manifold tuning valve position sensor or switch, bank 2
        P207F . Reductant quality
        P2080 ri*2 Exhaust gas temperature sensor, bank # sensor 1
        P2084 ri*2 Exhaust gas temperature sensor, bank # sensor 2
        P2088 lh Camshaft A actuator control, bank 1
        P208A orlh Reductant pump control
        P2090 lh Camshaft B actuator control, bank 1
        P2092 lh Camshaft A actuator control, bank 2
        P2094 lh Camshaft B actuator control, bank 2
        P2096 .*2/2 Fuel trim after the catalyst too lean, bank #
        P2097 .*2/2 Fuel trim after the catalyst too rich, bank #
        P209A crlh Reductant injection air pressure sensor B
        P209E . Reductant injection air pressure sensors A and B do not match
        P20A0 oplhqd Reductant purge control valve
        P20B9 oplh*A..D Reductant heater # control
        P20CB oplhqd*A..B Aftertreatment fuel injector # control
        P20D7 oplhqd Aftertreatment fuel supply control
        P20DD crlhi Aftertreatment fuel pressure sensor
        P20E6 . Reductant injection air pressure too low
        P20E7 . Reductant injection air pressure too high
        P20E8 . Reductant pressure too low
        P20E9 . Reductant pressure too high
        P20EC .*2/4 SCR NOx catalyst too hot, bank #
        P20ED .*2/4 SCR NOx pre-catalyst too hot, bank #
        P20EE .*2/4 SCR NOx catalyst efficiency too low, bank #
        P20EF .*2/4 SCR NOx pre-catalyst efficiency too low, bank #
        P20F6 q Reductant injector, bank 1 unit 1
        P20F7 q Reductant injector, bank 2 unit 1
        """
    }

    static var p21: String {
        """
        P2100 orlh Throttle actuator A control motor
        P2104 . Throttle actuator control: forced to idle
        P2105 . Throttle actuator control: engine forced to stop
        P2106 . Throttle actuator control: power limited
        P2107 . Throttle actuator control module: processor
        P2108 p Throttle actuator control module
        P2109 . Throttle or pedal position sensor A: minimum stop
        P210A orlh Throttle actuator B control motor
        P210E . Throttle or pedal position sensors C and F do not match
        P2110 . Throttle actuator control: engine speed limited
        P2111 qd Throttle actuator control
        P2113 .*B..F Throttle or pedal position sensor #: minimum stop
        P2118 r Throttle actuator control motor current
        P2119 r Throttle actuator control, throttle body
        P2120 crlhi*D..F Throttle or pedal position sensor or switch #
        P212A crlhi Throttle or pedal position sensor or switch G
        P2135 .*B..C Throttle or pedal position sensors A and # do not match
        P2137 . Throttle or pedal position sensors B and C do not match
        P2138 .*E..F Throttle or pedal position sensors D and # do not match
        P213A orlh Exhaust gas recirculation throttle control B
        P2140 . Throttle or pedal position sensors E and F do not match
        P2141 lh Exhaust gas recirculation throttle control A
        P2143 olh Exhaust gas recirculation vent control
        P2146 olh*A..D Fuel injector group # supply voltage
        P2158 cr Vehicle speed sensor B
        P215A . Vehicle speed does not match wheel speed
        P215B . Vehicle speed does not match output shaft speed
        P2160 li Vehicle speed sensor B
        P2162 . Vehicle speed sensors A and B do not match
        P2163 .*A..F Throttle or pedal position sensor #: maximum stop
        P2169 olh Exhaust pressure regulator vent solenoid control
        P216A olh*E..F Fuel injector group # supply voltage
        P2172 . Throttle actuator control: air flow suddenly high
        P2173 . Throttle actuator control: air flow high
        P2174 . Throttle actuator control: air flow suddenly low
        P2175 . Throttle actuator control: air flow low
        P2176 . Throttle actuator control: idle position not learned
        P2177 .*2/2 Mixture too lean off idle, bank #
        P2178 .*2/2 Mixture too rich off idle, bank #
        P217A olh*G..H Fuel injector group # supply voltage
        P2181 p Cooling system
        P2182 crlhi Engine coolant temperature sensor 2
        P2187 .*2/2 Mixture too lean at idle, bank #
        P2188 .*2/2 Mixture too rich at idle, bank #
        P2191 .*2/2 Mixture too lean at higher load, bank #
        P2192 .*2/2 Mixture too rich at higher load, bank #
        P2195 .*2/2 Oxygen sensor biased or stuck lean, bank # sensor 1
        P2196 .*2/2 Oxygen sensor biased or stuck rich, bank # sensor 1
        P2199 . Intake air temperature sensors 1 and 2 do not match
        P219A .*2 Air-fuel ratio differs between cylinders, bank #
        P219C .*12 Cylinder # air-fuel ratio differs from the others
        """
    }

    static var p22: String {
        """
        P2200 crlhi*2/13 NOx sensor, bank #
        P2205 olh*2/13 NOx sensor heater control, bank #
        P2208 crlhi*2/13 NOx sensor heater sense, bank #
        P2226 crlhi Barometric pressure sensor A
        P222A crlhi Barometric pressure sensor B
        P222F . Barometric pressure sensors A and B do not match
        P2231 .*3 Oxygen sensor signal shorted to its heater, bank 1 sensor #
        P2234 .*3 Oxygen sensor signal shorted to its heater, bank 2 sensor #
        P2237 olh*2 Oxygen sensor positive current control, bank # sensor 1
        P2243 oplh*2 Oxygen sensor reference voltage, bank # sensor 1
        P2251 olh*2 Oxygen sensor negative current control, bank # sensor 1
        P2257 lh*A..B Secondary air injection control #
        P2261 . Turbocharger or supercharger bypass valve: mechanical
        P2262 . Turbocharger or supercharger: no boost pressure, mechanical
        P2263 p Turbocharger or supercharger boost system
        P2264 crlhi Water in fuel sensor
        P2269 . Water in the fuel
        P226A c Water in fuel lamp control
        P2270 .*2/2 Oxygen sensor stuck lean, bank # sensor 2
        P2271 .*2/2 Oxygen sensor stuck rich, bank # sensor 2
        P2274 .*2/2 Oxygen sensor stuck lean, bank # sensor 3
        P2275 .*2/2 Oxygen sensor stuck rich, bank # sensor 3
        P2278 . Oxygen sensor signals swapped, bank 1 sensor 3 with bank 2 sensor 3
        P2279 . Leak in the air intake
        P2280 . Air flow restricted, or leak between air filter and air flow sensor
        P2281 . Air leak between air flow sensor and throttle body
        P2282 . Air leak between throttle body and intake valves
        P2283 crlhi Injector control pressure sensor
        P2288 . Injector control pressure too high
        P2289 . Injector control pressure too high with the engine off
        P228C . Fuel pressure regulator 1: control limit exceeded, pressure too low
        P228D . Fuel pressure regulator 1: control limit exceeded, pressure too high
        P228E . Fuel pressure regulator 1: learning limit exceeded, too low
        P228F . Fuel pressure regulator 1: learning limit exceeded, too high
        P2290 . Injector control pressure too low
        P2291 . Injector control pressure too low while cranking
        P2292 . Injector control pressure erratic
        P2293 p Fuel pressure regulator 2
        P2294 clh Fuel pressure regulator 2 control
        P2297 .*2 Oxygen sensor out of range during deceleration, bank # sensor 1
        P2299 . Brake pedal position does not match accelerator pedal position
        P229A . Fuel pressure regulator 2: control limit exceeded, pressure too low
        P229B . Fuel pressure regulator 2: control limit exceeded, pressure too high
        P229C . Fuel pressure regulator 2: learning limit exceeded, too low
        P229D . Fuel pressure regulator 2: learning limit exceeded, too high
        P229E crlhi NOx sensor, bank 1 sensor 2
        """
    }

    static var p23: String {
        """
        P2300 lh*A..L/3 Ignition coil # primary control
        P2302 c*A..L/3 Ignition coil # secondary
        P2336 .*12 Cylinder # above the knock threshold
        """
    }

    static var p24: String {
        """
        P2400 olh Evaporative emission leak detection pump control
        P2403 orlhi Evaporative emission leak detection pump sense
        P2408 crlhi Fuel cap sensor or switch
        P240A olh Evaporative emission leak detection pump heater control
        P2413 p Exhaust gas recirculation system
        P2414 .*2 Oxygen sensor exhaust sample error, bank # sensor 1
        P2416 .*2 Oxygen sensor signals swapped, bank # sensor 2 with bank # sensor 3
        P2418 olh Evaporative emission switching valve control
        P2421 qd Evaporative emission vent valve
        P2423 .*2 Hydrocarbon adsorption catalyst efficiency too low, bank #
        P2425 olh Exhaust gas recirculation cooling valve control
        P2428 .*2 Exhaust gas too hot, bank #
        P242A crlhi Exhaust gas temperature sensor, bank 1 sensor 3
        P242F . Diesel particulate filter restricted by ash
        P2430 crlhi*2 Secondary air injection flow or pressure sensor, bank #
        P2440 qd*2 Secondary air injection switching valve, bank #
        P2444 kz*2 Secondary air injection pump, bank #
        P2448 .*2 Secondary air injection flow too high, bank #
        P244A . Diesel particulate filter differential pressure too low, bank 1
        P2450 . Evaporative emission switching valve: performance or stuck open
        P2451 d Evaporative emission switching valve
        P2452 crlhi Diesel particulate filter pressure sensor A
        P2457 p Exhaust gas recirculation cooling system
        P2458 . Diesel particulate filter regeneration: duration
        P2459 . Diesel particulate filter regeneration: frequency
        P245A orlh Exhaust gas recirculation cooler bypass control
        P245E crlhi Diesel particulate filter pressure sensor B
        P2463 . Diesel particulate filter restricted by soot
        P2478x .*4 Exhaust gas temperature out of range, bank 1 sensor #
        P247C .*4 Exhaust gas temperature out of range, bank 2 sensor #
        """
    }

    static var p25: String {
        """
        P2500 lh Generator lamp terminal (L)
        P2502 .<> Charging system voltage
        P2505 crlhi Engine control module power input
        P250A crlhi Engine oil level sensor
        P250F . Engine oil level too low
        P2510 ri Engine control module power relay sense
        P2512 olh Event data recorder request
        P2515 crlh Air conditioning refrigerant pressure sensor B
        P2519 clh*A..B Air conditioning request #
        P251A olh Power take-off enable switch
        P251D olh Power take-off engine shutdown
        P2525 crlhi Vacuum reservoir pressure sensor
        P252A crlhi Engine oil quality sensor
        P252F . Engine oil level too high
        P2530 clh Ignition switch, run position
        P2533 clh Ignition switch, run or start position
        P2536 clh Ignition switch, accessory position
        P2539 crlhi Low pressure fuel system sensor
        P253A orlhi Power take-off sense
        P253F . Engine oil worn out
        P2544 crlh*A..B Torque management request input #
        P254A orlhi Power take-off speed selector 1
        P254F c Engine hood switch
        P2552 crlh Throttle or fuel inhibit
        P2556 crlh Engine coolant level sensor or switch
        P255A orlhi Power take-off speed selector 2
        P2560 . Engine coolant level low
        P2561 . Air conditioning control module asks for the malfunction indicator lamp
        P2562 crlhi Turbocharger boost control position sensor A
        P2567 crlhi Direct ozone reduction catalyst temperature sensor
        P256A orlhi Engine idle speed selector
        P2572 crlhi Direct ozone reduction catalyst deterioration sensor
        P2577 . Direct ozone reduction catalyst efficiency too low
        P2578 crlhi Turbocharger speed sensor
        P257A olh Vacuum reservoir control
        P257D rlh Engine hood switch
        P2583 . Cruise control front distance sensor
        P2584 . Fuel additive control module asks for the malfunction indicator lamp
        P2585 . Fuel additive control module asks for the warning lamp
        P2586 crlhi Turbocharger boost control position sensor B
        """
    }

    static var p26: String {
        """
        P2600 orlh Coolant pump A control
        P2604 r Intake air heater A
        P2605 o Intake air heater
        P2606 rlh Intake air heater B
        P2609 p Intake air heater system
        P260A olh Power take-off control
        P260D c Power take-off lamp control
        P260F . Evaporative emission monitoring processor
        P2610 . Control module: engine-off timer
        P2611 olh Air conditioning refrigerant distribution valve control
        P2614 olh Camshaft position signal output
        P2617 olh Crankshaft position signal output
        P261A orlh Coolant pump B control
        P2620 olh Throttle position output
        P2623 olh Injector control pressure regulator
        P2626 olh*2 Oxygen sensor pumping current trim, bank # sensor 1
        P2632 olh Fuel pump B control
        P2635 .*A..B Fuel pump #: flow low, or performance
        P2637 crlh*A..B Torque management feedback #
        P2645 ofklh Rocker arm actuator A, bank 1
        P264A crlhi Rocker arm actuator A position sensor, bank 1
        P2650 ofklh Rocker arm actuator B, bank 1
        P2655 ofklh Rocker arm actuator A, bank 2
        P265A crlhi Rocker arm actuator B position sensor, bank 1
        P2660 ofklh Rocker arm actuator B, bank 2
        P2665 olh Fuel shut-off valve B control
        P2668 c Fuel mode lamp control
        P2669 olh Actuator supply voltage B
        P266A crlhi Rocker arm actuator A position sensor, bank 2
        P2672 . Injection pump timing offset
        P2673 . Injection pump timing not learned
        P2674 . Injection pump fuel calibration not learned
        P2675 olh Air cleaner inlet control
        P2678 olh Coolant degassing valve control
        P267A crlhi Rocker arm actuator B position sensor, bank 2
        P2681 olh Engine coolant bypass valve control
        P2684 olh Actuator supply voltage C
        P2687 olh Fuel supply heater control
        P268C .*12 Cylinder # injector data incompatible
        """
    }

    static var p27: String {
        """
        P2700 r*A..F Transmission friction element # apply time
        P2706 mfkei Shift solenoid F
        P2711 . Gear disengaged mechanically and unexpectedly
        P2712 . Hydraulic power unit leaks
        P2713 mfkei*D..F/9 Pressure control solenoid #
        P2718 orlh*D..F/9 Pressure control solenoid # control
        P273A r*G..H Transmission friction element # apply time
        P2740 crlhi Transmission fluid temperature sensor B
        P2745 crni*B..C Intermediate shaft speed sensor #
        P2753 olh Transmission fluid cooler control
        P2756 mfkei Torque converter clutch pressure control solenoid
        P2761 orhl Torque converter clutch pressure control solenoid control
        P2765 crni Input or turbine speed sensor B
        P2769 lh Torque converter clutch
        P2771 crlh Four-wheel drive low switch
        P2775 rlhi Upshift switch
        P2779 rlhi Downshift switch
        P2783 . Torque converter too hot
        P2784 . Input or turbine speed sensors A and B do not match
        P2785 . Clutch actuator too hot
        P2786 . Gear shift actuator too hot
        P2787 . Clutch too hot
        P2788 . Automatic shift, manual mode: adaptation at its limit
        P2789 . Clutch adaptation at its limit
        P278A crlhi Kick-down switch
        P2790 clh Gate select direction
        P2793 clh Gear shift direction
        P2796 o Auxiliary transmission fluid pump control
        P2797 p Auxiliary transmission fluid pump
        P2798 lh Auxiliary transmission fluid pump control
        """
    }

    static var p28: String {
        """
        P2800 crlhi Transmission range sensor B
        P2805 . Transmission range sensors A and B do not match
        P2806 . Transmission range sensor: alignment
        P2807 mfkei Pressure control solenoid G
        P2812 orlh Pressure control solenoid G control
        P2816x mfkei Pressure control solenoid H
        P281B orlh Pressure control solenoid H control
        P281F mfkei Pressure control solenoid J
        P2824 orlh Pressure control solenoid J control
        P2828x mfkei Pressure control solenoid K
        P282D orlh Pressure control solenoid K control
        """
    }

    static var p2A: String {
        """
        P2A00 r*3 Oxygen sensor, bank 1 sensor #
        P2A03 r*3 Oxygen sensor, bank 2 sensor #
        P2A06 .*3 Oxygen sensor voltage negative, bank 1 sensor #
        P2A09 .*3 Oxygen sensor voltage negative, bank 2 sensor #
        """
    }

    static var p2B: String {
        """
        P2BA7 . Nitrogen oxides too high: reductant tank empty
        P2BA8 . Nitrogen oxides too high: reductant dosing interrupted
        P2BA9 . Nitrogen oxides too high: reductant quality
        P2BAA . Nitrogen oxides too high: reductant consumption too low
        P2BAB . Nitrogen oxides too high: exhaust gas recirculation flow
        P2BAC . Nitrogen oxides too high: exhaust gas recirculation switched off
        P2BAD . Nitrogen oxides too high: cause not known
        P2BAE . Nitrogen oxides too high: monitoring system
        """
    }
}
