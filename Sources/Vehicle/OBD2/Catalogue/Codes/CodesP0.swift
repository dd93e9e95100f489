// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Powertrain codes that SAE J2012 defines, P00xx to P09xx.
extension CodeTable {
    static var p00: String {
        """
        P0001 orlh Fuel volume regulator control
        P0005 olh Fuel shut-off valve A control
        P0008 p*2 Engine position system, bank #
        P000A w Camshaft A position, bank 1
        P000B w Camshaft B position, bank 1
        P000C w Camshaft A position, bank 2
        P000D w Camshaft B position, bank 2
        P000E . Fuel volume regulator control: learning limit exceeded
        P000F . Fuel pressure relief valve has opened
        P0010 o*2/10 Camshaft A actuator, bank #
        P0011 .*2/10 Camshaft A position, bank #: timing too far advanced, or performance
        P0012 .*2/10 Camshaft A position, bank #: timing too far retarded
        P0013 o*2/10 Camshaft B actuator, bank #
        P0014 .*2/10 Camshaft B position, bank #: timing too far advanced, or performance
        P0015 .*2/10 Camshaft B position, bank #: timing too far retarded
        P0016 .*A..B Crankshaft and camshaft position do not match, bank 1 sensor #
        P0018 .*A..B Crankshaft and camshaft position do not match, bank 2 sensor #
        P001A olh*2 Camshaft A profile control, bank #
        P0026 r*2/2 Intake valve control solenoid, bank #
        P0027 r*2/2 Exhaust valve control solenoid, bank #
        P002A olh*2 Camshaft B profile control, bank #
        P0030 clh*3/6 Oxygen sensor heater control, bank 1 sensor #
        P0033 clh Turbocharger or supercharger bypass valve control
        P0039 r Turbocharger or supercharger bypass valve control
        P003A .*A..B Turbocharger or supercharger boost control # position: learning limit exceeded
        P003C fk*2 Camshaft A profile control, bank #
        P0040 .*2 Oxygen sensor signals swapped, bank 1 sensor # with bank 2 sensor #
        P0045 orlh Turbocharger or supercharger boost control A
        P0049 . Turbocharger or supercharger turbine overspeed
        P004A orlh Turbocharger or supercharger boost control B
        P004E i*A..B Turbocharger or supercharger boost control #
        P0050 clh*3/6 Oxygen sensor heater control, bank 2 sensor #
        P0053 .*3 Oxygen sensor heater resistance, bank 1 sensor #
        P0059 .*3 Oxygen sensor heater resistance, bank 2 sensor #
        P005A fk*2 Camshaft B profile control, bank #
        P005E lh Turbocharger or supercharger boost control B supply voltage
        P0065 r Air assisted injector control
        P0066 . Air assisted injector control: circuit fault or circuit low
        P0067 h Air assisted injector control
        P0068 . Manifold pressure or air flow does not match throttle position
        P0069 . Manifold pressure does not match barometric pressure
        P006A . Manifold pressure does not match air flow, bank 1
        P006B . Manifold pressure does not match exhaust pressure
        P006C . Manifold pressure does not match turbocharger or supercharger inlet pressure
        P006D . Barometric pressure does not match turbocharger or supercharger inlet pressure
        P006E lh Turbocharger or supercharger boost control A supply voltage
        P0070 crlhi Ambient air temperature sensor
        P0075 clh*2/6 Intake valve control solenoid, bank #
        P0078 clh*2/6 Exhaust valve control solenoid, bank #
        P007A crlhi Charge air cooler temperature sensor, bank 1
        P007F . Charge air cooler temperatures of banks 1 and 2 do not match
        P0087 . Fuel rail or fuel system pressure too low
        P0088 . Fuel rail or fuel system pressure too high
        P0089 p Fuel pressure regulator 1
        P008A . Low-pressure fuel system: pressure too low
        P008B . Low-pressure fuel system: pressure too high
        P008C olh Fuel cooler pump control
        P008F . Engine coolant temperature does not match fuel temperature
        P0090 clh Fuel pressure regulator 1 control
        P0093 . Large leak in the fuel system
        P0094 . Small leak in the fuel system
        P0095 crlhi Intake air temperature sensor 2, bank 1
        P009A . Intake air temperature does not match ambient air temperature
        P009B olhfk Fuel pressure relief control
        P00A0 crlhi Charge air cooler temperature sensor, bank 2
        P00A5 crlhi Intake air temperature sensor 2, bank 2
        P00AA crlhi Intake air temperature sensor 1, bank 2
        P00AF p*A..B Turbocharger or supercharger boost control # module
        P00B1 crlhi Radiator coolant temperature sensor
        P00B6 . Radiator coolant temperature does not match engine coolant temperature
        P00B7 . Engine coolant flow low, or performance
        P00B8 . Manifold pressure does not match air flow, bank 2
        P00B9 . Low-pressure fuel system: pressure too low in cold weather
        P00BA . Fuel pressure low: power limited
        P00BB . Fuel injector flow too low: power limited
        P00BC . Mass or volume air flow sensor A: flow too low
        P00BD . Mass or volume air flow sensor A: flow too high
        P00BE . Mass or volume air flow sensor B: flow too low
        P00BF . Mass or volume air flow sensor B: flow too high
        """
    }

    static var p01: String {
        """
        P0100 crlhi Mass or volume air flow sensor A
        P0105 crlhi Manifold or barometric pressure sensor
        P010A crlhi Mass or volume air flow sensor B
        P010F . Mass or volume air flow sensors A and B do not match
        P0110 crlhi Intake air temperature sensor 1, bank 1
        P0115 crlhi Engine coolant temperature sensor 1
        P011A . Engine coolant temperature sensors 1 and 2 do not match
        P011B . Engine coolant temperature does not match intake air temperature
        P011C .*2 Charge air temperature does not match intake air temperature, bank #
        P0120 crlhi Throttle or pedal position sensor or switch A
        P0125 . Engine coolant too cold for closed-loop fuel control
        P0126 . Engine coolant too cold for stable operation
        P0127 . Intake air too hot
        P0128 . Coolant thermostat: engine coolant stays below regulating temperature
        P0129 . Barometric pressure too low
        P012A crlhi Turbocharger or supercharger inlet pressure sensor
        P0130 cvVwa*3/6 Oxygen sensor, bank 1 sensor #
        P0135 c*3/6 Oxygen sensor heater, bank 1 sensor #
        P013A .*2/2 Oxygen sensor slow from rich to lean, bank # sensor 2
        P013B .*2/2 Oxygen sensor slow from lean to rich, bank # sensor 2
        P013E . Oxygen sensor delayed from rich to lean, bank 1 sensor 2
        P013F . Oxygen sensor delayed from lean to rich, bank 1 sensor 2
        P0148 . Fuel delivery error
        P0149 . Fuel timing error
        P014A . Oxygen sensor delayed from rich to lean, bank 2 sensor 2
        P014B . Oxygen sensor delayed from lean to rich, bank 2 sensor 2
        P014C .*2/2 Oxygen sensor slow from rich to lean, bank # sensor 1
        P014D .*2/2 Oxygen sensor slow from lean to rich, bank # sensor 1
        P0150 cvVwa*3/6 Oxygen sensor, bank 2 sensor #
        P0155 c*3/6 Oxygen sensor heater, bank 2 sensor #
        P015A .*2/2 Oxygen sensor delayed from rich to lean, bank # sensor 1
        P015B .*2/2 Oxygen sensor delayed from lean to rich, bank # sensor 1
        P0168 . Fuel too hot
        P0169 . Fuel composition not as it should be
        P0170 m*2/3 Fuel trim, bank #
        P0171 .*2/3 Mixture too lean, bank #
        P0172 .*2/3 Mixture too rich, bank #
        P0176 crlh Fuel composition sensor
        P0180 crlhi*A..B Fuel temperature sensor #
        P018A crlhi Fuel pressure sensor B
        P018F . Fuel pressure relief valve opens often
        P0190 crlhi Fuel rail pressure sensor A
        P0195 mrlhi Engine oil temperature sensor
        """
    }

    static var p02: String {
        """
        P0200 o Injectors
        P0201 o*12 Cylinder # injector
        P020A .*1..6 Cylinder # injection timing
        P0213 m*2 Cold start injector #
        P0215 m Engine shut-off solenoid
        P0216 c Injection timing control
        P0217 . Engine coolant too hot
        P0218 . Transmission fluid too hot
        P0219 . Engine overspeed
        P021A .*7..12 Cylinder # injection timing
        P0220 crlhi*B..C Throttle or pedal position sensor or switch #
        P022A olh*A..B Charge air cooler bypass control #
        P0230 c Fuel pump, primary side
        P0231 lhi Fuel pump, secondary side
        P0234 . Turbocharger or supercharger overboost
        P0235 crlh*A..B Turbocharger or supercharger boost sensor #
        P023A olh Charge air cooler coolant pump control
        P023D .*A..B Manifold pressure does not match boost sensor #
        P023F o Fuel pump, secondary side
        P0243 mrlh*A..B Turbocharger or supercharger wastegate solenoid #
        P024A r Charge air cooler bypass control A
        P024B . Charge air cooler bypass control A: stuck
        P024C crlh Charge air cooler bypass position sensor A
        P0251 crlhi*A..B Injection pump fuel metering control #
        P025A orlh Fuel pump module control
        P0261 lh*12/3 Cylinder # injector
        P0263 b*12/3 Cylinder #
        P0297 . Vehicle overspeed
        P0298 . Engine oil too hot
        P0299 . Turbocharger or supercharger underboost
        P029A .*12/4 Cylinder # fuel trim at its maximum
        P029B .*12/4 Cylinder # fuel trim at its minimum
        P029C .*12/4 Cylinder # injector restricted
        P029D .*12/4 Cylinder # injector leaks
        P02CA . Turbocharger or supercharger B overboost
        P02CB . Turbocharger or supercharger B underboost
        P02CC .*10/2 Cylinder # injector offset at its minimum
        P02CD .*10/2 Cylinder # injector offset at its maximum
        P02E0 oplhqd Diesel intake air flow control
        P02E6 crlhi Diesel intake air flow position sensor
        P02EB r Diesel intake air flow control motor current
        P02EC . Diesel intake air flow control: flow high
        P02ED . Diesel intake air flow control: flow low
        P02EE r*12 Cylinder # injector
        P02FA . Diesel intake air flow position sensor: minimum or maximum stop
        """
    }

    static var p03: String {
        """
        P0300 . Misfire in random or several cylinders
        P0301 .*12 Misfire in cylinder #
        P0313 . Misfire with little fuel in the tank
        P0314 . Misfire in one cylinder, not known which
        P0315 . Crankshaft position variation not learned
        P0316 . Misfire in the first 1000 revolutions after the start
        P0317 . Rough road hardware missing
        P0318 c*A..B Rough road sensor #
        P0320 crni Ignition or distributor engine speed input
        P0324 . Knock control system error
        P0325 crlhi*2 Knock sensor #
        P032A crlhi Knock sensor 3
        P0335 crlhi Crankshaft position sensor A
        P033A crlhi Knock sensor 4
        P0340 crlhi*2 Camshaft position sensor A, bank #
        P0350 c Ignition coil, primary or secondary
        P0351 c*A..L Ignition coil #, primary or secondary
        P0363 . Misfire: fuel cut off
        P0365 crlhi Camshaft position sensor B, bank 1
        P0370 .*A..B/5 High-resolution timing reference #
        P0371 .*A..B/5 High-resolution timing reference #: too many pulses
        P0372 .*A..B/5 High-resolution timing reference #: too few pulses
        P0373 .*A..B/5 High-resolution timing reference #: intermittent or erratic pulses
        P0374 .*A..B/5 High-resolution timing reference #: no pulses
        P037D clh Glow plug sense
        P0380 c Glow plug or heater A
        P0381 c Glow plug or heater indicator
        P0382 c Glow plug or heater B
        P0383 lh Glow plug control module control
        P0385 crlhi Crankshaft position sensor B
        P0390 crlhi Camshaft position sensor B, bank 2
        """
    }

    static var p04: String {
        """
        P0400 m Exhaust gas recirculation flow
        P0401 . Exhaust gas recirculation flow too low
        P0402 . Exhaust gas recirculation flow too high
        P0403 cr Exhaust gas recirculation control A
        P0405 lh*A..B Exhaust gas recirculation sensor #
        P0409 c Exhaust gas recirculation sensor A
        P040A crlhi Exhaust gas recirculation temperature sensor A
        P040F . Exhaust gas recirculation temperature sensors A and B do not match
        P0410 m Secondary air injection
        P0411 . Secondary air injection flow not as it should be
        P0412 cOs*A..B Secondary air injection switching valve #
        P0418 c*A..B Secondary air injection control #
        P041A crlhi Exhaust gas recirculation temperature sensor B
        P0420 .*2/10 Catalyst efficiency too low, bank #
        P0421 .*2/10 Warm-up catalyst efficiency too low, bank #
        P0422 .*2/10 Main catalyst efficiency too low, bank #
        P0423 .*2/10 Heated catalyst efficiency too low, bank #
        P0424 .*2/10 Heated catalyst temperature too low, bank #
        P0425 crlh*2/10 Catalyst temperature sensor, bank # sensor 1
        P0429 c*2/10 Catalyst heater control, bank #
        P042A crlh Catalyst temperature sensor, bank 1 sensor 2
        P042E qd Exhaust gas recirculation control A
        P043A crlh Catalyst temperature sensor, bank 2 sensor 2
        P043E . Fuel vapour leak detection: flow through the reference orifice too low
        P043F . Fuel vapour leak detection: flow through the reference orifice too high
        P0440 m Evaporative emission system
        P0441 . Evaporative emission system: purge flow not as it should be
        P0442 . Evaporative emission system: small leak
        P0443 cOs Evaporative emission purge valve
        P0446 cOs Evaporative emission vent control
        P0449 c Evaporative emission vent valve or solenoid
        P044A crlhi Exhaust gas recirculation sensor C
        P044F h Secondary air injection switching valve A
        P0450 mrlhi Evaporative emission pressure sensor or switch
        P0455 . Evaporative emission system: large leak
        P0456 . Evaporative emission system: very small leak
        P0457 . Evaporative emission system: leak, fuel cap loose or off
        P0458 lh Evaporative emission purge valve
        P045A crlhqd Exhaust gas recirculation control B
        P0460 crlhi Fuel level sensor A
        P0465 crlhi Evaporative emission purge flow sensor
        P046A .*2 Catalyst temperature sensors 1 and 2 do not match, bank #
        P046C ri Exhaust gas recirculation sensor A
        P046E ri Exhaust gas recirculation sensor B
        P0470 crlhi Exhaust pressure sensor A
        P0475 mrlhi Exhaust pressure control valve A
        P047A crlhi Exhaust pressure sensor B
        P047F q Exhaust pressure control valve A
        P0480 c*3 Cooling fan # control
        P0483 . Cooling fan: plausibility check
        P0484 . Cooling fan: current too high
        P0485 c Cooling fan power or ground
        P0486 c Exhaust gas recirculation sensor B
        P0487 or Exhaust gas recirculation throttle control A
        P0489 lh Exhaust gas recirculation control A
        P048A d Exhaust pressure control valve A
        P048B crlhi Exhaust pressure control valve A position sensor or switch
        P0491 .*2 Secondary air injection flow too low, bank #
        P0493 . Cooling fan overspeed
        P0494 . Cooling fan too slow
        P0495 . Cooling fan too fast
        P0496 . Evaporative emission system: purge flow too high
        P0497 . Evaporative emission system: purge flow too low
        P0498 lh Evaporative emission vent valve control
        P049A . Exhaust gas recirculation B flow
        P049B . Exhaust gas recirculation B flow too low
        P049C . Exhaust gas recirculation B flow too high
        P049D .*A..B Exhaust gas recirculation control # position: learning limit exceeded
        P049F mrlhiqd Exhaust pressure control valve B
        P04A6 crlhi Exhaust pressure control valve B position sensor or switch
        """
    }

    static var p05: String {
        """
        P0500 mrl Vehicle speed sensor A
        P0503 . Vehicle speed sensor A: circuit intermittent, erratic or high
        P0504 . Brake switches A and B do not match
        P0505 m Idle air control
        P0506 . Idle speed lower than expected
        P0507 . Idle speed higher than expected
        P0508 lh Idle air control
        P050A p Cold start idle air control
        P050B p Cold start ignition timing
        P050C p Cold start coolant temperature
        P050D . Cold start: rough idle
        P050E . Cold start: exhaust gas too cold
        P050F . Brake assist vacuum too low
        P0510 c Closed throttle position switch
        P0511 c Idle air control
        P0512 c Starter request
        P0513 . Wrong immobilizer key
        P0514 rclh Battery temperature sensor
        P0518 i Idle air control
        P0519 p Idle air control
        P051A crlhi Crankcase pressure sensor
        P051F . Crankcase ventilation filter restricted
        P0520 crlh Engine oil pressure sensor or switch
        P0524 . Engine oil pressure too low
        P0525 r Cruise control servo control
        P0526 crni Cooling fan speed sensor
        P052A .*2/2 Cold start: camshaft A timing too far advanced, bank #
        P052B .*2/2 Cold start: camshaft A timing too far retarded, bank #
        P052E p Crankcase ventilation regulator valve
        P0530 crlh Air conditioning refrigerant pressure sensor A
        P0534 . Air conditioning refrigerant lost
        P0535 crlhi Air conditioning evaporator temperature sensor
        P053A olh Crankcase ventilation heater control
        P0540 clhO Intake air heater A
        P0544 clh Exhaust gas temperature sensor, bank 1 sensor 1
        P0547 clh Exhaust gas temperature sensor, bank 2 sensor 1
        P054A .*2/2 Cold start: camshaft B timing too far advanced, bank #
        P054B .*2/2 Cold start: camshaft B timing too far retarded, bank #
        P0550 crlhi Power steering pressure sensor or switch
        P0555 crlhi Brake booster pressure sensor
        P0560 .u<> System voltage
        P0564 c Cruise control multi-function input A
        P0565 . Cruise control on signal
        P0566 . Cruise control off signal
        P0567 . Cruise control resume signal
        P0568 . Cruise control set signal
        P0569 . Cruise control coast signal
        P056A . Cruise control signal to increase the distance
        P056B . Cruise control signal to decrease the distance
        P0570 . Cruise control accelerate signal
        P0571 clh Brake switch A
        P0574 . Cruise control: vehicle speed too high
        P0575 clh Cruise control input
        P0578 . Cruise control multi-function input A: stuck
        P0579 rlh Cruise control multi-function input A
        P0582 olh Cruise control vacuum control
        P0585 . Cruise control multi-function inputs A and B do not match
        P0586 olh Cruise control vent control
        P0589 c Cruise control multi-function input B
        P0590 . Cruise control multi-function input B: stuck
        P0591 rlh Cruise control multi-function input B
        P0594 olh Cruise control servo control
        P0597 olh Thermostat heater control
        """
    }

    static var p06: String {
        """
        P0600 m Serial communication link
        P0601 . Control module: memory checksum error
        P0602 . Control module: programming error
        P0603 . Control module: keep-alive memory error
        P0604 . Control module: random access memory (RAM) error
        P0605 . Control module: read-only memory (ROM) error
        P0606 . Engine control module processor
        P0607 p Control module
        P0608 .*A..B Control module: vehicle speed output #
        P060A p Control module, monitoring processor
        P060B p Control module, analogue input processing
        P060C p Control module, main processor
        P060D p Control module, accelerator pedal position
        P060E p Control module, throttle position
        P060F p Control module, coolant temperature
        P0610 . Control module: vehicle options error
        P0611 p Fuel injector control module
        P0612 . Fuel injector control module: relay control
        P0613 . Transmission control module processor
        P0614 . Engine and transmission control modules are incompatible
        P0615 clh Starter relay
        P0618 . Alternative fuel control module: keep-alive memory error
        P0619 . Alternative fuel control module: RAM or ROM error
        P061A p Control module, torque
        P061B p Control module, torque calculation
        P061C p Control module, engine speed
        P061D p Control module, engine air mass
        P061E p Control module, brake signal
        P061F p Control module, throttle actuator controller
        P0620 c Generator control
        P0621 c Generator lamp terminal (L)
        P0622 c Generator field terminal (F)
        P0623 c Generator lamp control
        P0624 c Fuel cap lamp control
        P0625 lh Generator field terminal (F)
        P0627 olh Fuel pump A control
        P062A r Fuel pump A control
        P062B p Control module, fuel injector control
        P062C p Control module, vehicle speed
        P062D p Fuel injector driver, bank 1
        P062E p Fuel injector driver, bank 2
        P062F . Control module: EEPROM error
        P0630 . Vehicle identification number not programmed or not compatible: engine control module
        P0631 . Vehicle identification number not programmed or not compatible: transmission control module
        P0632 . Odometer not programmed: engine control module
        P0633 . Immobilizer key not programmed: engine control module
        P0634 . Control module too hot inside
        P0635 clh Power steering control
        P0638 r*2 Throttle actuator control, bank #
        P063A crlh Generator voltage sense
        P063E . Automatic configuration: no throttle input
        P063F . Automatic configuration: no coolant temperature input
        P0640 c Intake air heater control
        P0641 olh Sensor reference voltage A
        P0644 c Driver display serial communication
        P0645 clh Air conditioning clutch relay control
        P0648 c Immobilizer lamp control
        P0649 c Speed control lamp control
        P064A . Fuel pump control module
        P064D p*2 Control module, oxygen sensor processor, bank #
        P064F . Software or calibration not authorized
        P0650 c Malfunction indicator lamp control
        P0651 olh Sensor reference voltage B
        P0654 c Engine speed output
        P0655 c Engine hot lamp control
        P0656 c Fuel level output
        P0657 olh Actuator supply voltage A
        P065A p Generator system
        P065B r Generator control
        P065C . Generator: mechanical performance
        P0660 olh*2 Intake manifold tuning valve control, bank #
        P0666 crlh Control module internal temperature sensor
        P066A lh*1..3 Glow plug # control
        P0670 o Glow plug control module control
        P0671 o*12 Cylinder # glow plug
        P067A lh*4..6 Glow plug # control
        P0683 cr Glow plug control module communication
        P0685 olh Engine control module power relay control
        P0688 ol Engine control module power relay sense
        P068A . Engine control module power relay switched off too early
        P068B . Engine control module power relay switched off too late
        P068C lh*7..8 Glow plug # control
        P0690 h Engine control module power relay sense
        P0691 lh*3 Cooling fan # control
        P0697 olh Sensor reference voltage C
        P069A lh*9..10 Glow plug # control
        P06A0 clh Air conditioning compressor control
        P06A3 olh Sensor reference voltage D
        P06A6 r*A..D Sensor reference voltage #
        P06AA . Control module too hot inside, sensor B
        P06AF . Torque management: engine forced to stop
        P06B0 olh*A..B Sensor power supply #
        P06B6 p*2 Control module, knock sensor processor #
        P06B8 . Control module: non-volatile memory (NVRAM) error
        P06B9 r*12 Cylinder # glow plug
        P06C5 .*12 Cylinder # glow plug is a wrong one
        P06D1 p Control module, ignition coil control
        P06DA olhf Engine oil pressure control
        """
    }

    static var p07: String {
        """
        P0700 . Transmission control asks for the malfunction indicator lamp
        P0701 r Transmission control
        P0702 e Transmission control
        P0703 c Brake switch B
        P0704 c Clutch switch input
        P0705 crlhi Transmission range sensor A
        P070A crlhi Transmission fluid level sensor
        P070F . Transmission fluid level too low
        P0710 crlhi Transmission fluid temperature sensor A
        P0715 crni Input or turbine speed sensor A
        P0719 l Brake switch B
        P071A clh Transmission mode switch A
        P071D clh Transmission mode switch B
        P0720 crni Output speed sensor
        P0724 h Brake switch B
        P0725 crni Engine speed input
        P0729 . Gear 6: wrong ratio
        P072A . Transmission stuck in neutral
        P072B . Transmission stuck in reverse
        P072C .*1..4 Transmission stuck in gear #
        P0730 . Gear: wrong ratio
        P0731 .*5 Gear #: wrong ratio
        P0736 . Reverse gear: wrong ratio
        P0737 clh Transmission control module engine speed output
        P073A .*5..7 Transmission stuck in gear #
        P073D . Transmission can't engage neutral
        P073E . Transmission can't engage reverse
        P073F . Transmission can't engage gear 1
        P0740 ofkei Torque converter clutch
        P0745 mfkei Pressure control solenoid A
        P074A .*2..7 Transmission can't engage gear #
        P0750 mfkei*A..E Shift solenoid #
        P075A mfkei Shift solenoid G
        P075F . Transmission fluid level too high
        P076A mfkei Shift solenoid H
        P076F . Gear 7: wrong ratio
        P0775 mfkei Pressure control solenoid B
        P077A . Output speed sensor: no direction signal
        P077B . Output speed sensor: wrong direction
        P0780 . Gear shift error
        P0781 . Shift between gears 1 and 2
        P0782 . Shift between gears 2 and 3
        P0783 . Shift between gears 3 and 4
        P0784 . Shift between gears 4 and 5
        P0785 mrlhi Shift timing solenoid A
        P078A mrlhi Shift timing solenoid B
        P0790 c Normal or performance switch
        P0791 crni Intermediate shaft speed sensor A
        P0795 mfkei Pressure control solenoid C
        P079A .*A..H Transmission friction element # slips
        P07A2 fk*A..H Transmission friction element #
        P07B2 Olh Park position sensor or switch A
        P07B5 . Park position sensor or switch A: performance, low
        P07B6 . Park position sensor or switch A: performance, high
        P07B7 i Park position sensor or switch A
        P07B8 Olh Park position sensor or switch B
        P07BB . Park position sensor or switch B: performance, low
        P07BC . Park position sensor or switch B: performance, high
        P07BD i Park position sensor or switch B
        P07BE . Park position sensors or switches A and B do not match
        """
    }

    static var p08: String {
        """
        P0800 . Transfer case control asks for the malfunction indicator lamp
        P0801 c Reverse inhibit control
        P0802 o Transmission control lamp request
        P0803 c Upshift or skip shift solenoid control
        P0804 c Upshift or skip shift lamp control
        P0805 crlhi Clutch position sensor
        P080A . Clutch position not learned
        P080B rlh Upshift or skip shift solenoid control
        P0810 . Clutch position control error
        P0811 . Clutch A slips too much
        P0812 c Reverse input
        P0813 c Reverse output
        P0814 c Transmission range display
        P0815 c Upshift switch
        P0816 c Downshift switch
        P0817 o Starter disable
        P0818 c Driveline disconnect switch input
        P0819 . Upshift and downshift switches do not match the transmission range
        P081A lh Starter disable
        P081C c Park input
        P081D c Neutral input
        P081E . Clutch B slips too much
        P0820 c Gear lever X-Y position sensor
        P0821 c Gear lever X position
        P0822 c Gear lever Y position
        P0823 i Gear lever X position
        P0824 i Gear lever Y position
        P0825 . Gear lever push-pull switch
        P0826 clh Upshift and downshift switches
        P0829 . Shift between gears 5 and 6
        P0830 clh*A..B Clutch pedal switch #
        P0836 crlh Four-wheel drive switch
        P083A crlhi Transmission fluid pressure sensor or switch G
        P083F . Clutch pedal switches A and B do not match
        P0840 crlhi*A..B Transmission fluid pressure sensor or switch #
        P084A crlhi Transmission fluid pressure sensor or switch H
        P0850 clh Park or neutral switch input
        P0853 clh Drive switch input
        P0856 crlh Traction control input
        P085A clh Gear shift module B communication
        P0860 clh Gear shift module A communication
        P0863 crlh Transmission control module communication
        P0867 .<> Transmission fluid pressure
        P0870 crlhi*C..D Transmission fluid pressure sensor or switch #
        P0880 crlhi Transmission control module power input
        P0885 olh Transmission control module power relay control
        P0888 crlhi Transmission control module power relay sense
        P0893 . Several gears engaged at once
        P0894 . Transmission component slips
        P0895 . Shift takes too little time
        P0896 . Shift takes too much time
        P0897 . Transmission fluid worn out
        P0898 lh Transmission control lamp request
        """
    }

    static var p09: String {
        """
        P0900 orlh Clutch actuator
        P0904 crlhi Gate select position
        P0909 . Gate select control error
        P0910 orlh Gate select actuator
        P0914 crlhi Gear shift position
        P0919 . Gear shift position control error
        P0920 orlh Gear shift forward actuator
        P0924 orlh Gear shift reverse actuator
        P0928 orlh Gear shift lock solenoid control
        P0932 crlhi Hydraulic pressure sensor
        P0937 crlhi Hydraulic oil temperature sensor
        P0942 m Hydraulic pressure unit
        P0943 . Hydraulic pressure unit: cycles too short
        P0944 . Hydraulic pressure unit: loss of pressure
        P0945 orlh Hydraulic pump relay
        P0949 . Automatic shift, manual mode: adaptation not finished
        P0950 crlhi Automatic shift, manual control
        P0955 crlhi Automatic shift, manual mode
        P0960 orlh*A..C Pressure control solenoid # control
        P0972 rlh*A..E Shift solenoid # control
        P0987 crlhi*E..F Transmission fluid pressure sensor or switch #
        P0997 rlh Shift solenoid F control
        P099A rlh Shift solenoid G control
        P099D rlh Shift solenoid H control
        """
    }
}
