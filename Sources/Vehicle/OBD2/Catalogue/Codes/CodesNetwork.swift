// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Network codes that SAE J2012 defines.
extension CodeTable {
    static var u00: String {
        """
        U0001 mp High-speed CAN bus
        U0003 O<> High-speed CAN bus (+)
        U0006 O<> High-speed CAN bus (-)
        U0009 . High-speed CAN bus (-) shorted to (+)
        U0010 mp Medium-speed CAN bus
        U0012 O<> Medium-speed CAN bus (+)
        U0015 O<> Medium-speed CAN bus (-)
        U0018 . Medium-speed CAN bus (-) shorted to (+)
        U0019 mp Low-speed CAN bus
        U0021 O<> Low-speed CAN bus (+)
        U0024 O<> Low-speed CAN bus (-)
        U0027 . Low-speed CAN bus (-) shorted to (+)
        U0028 mp*A..E/9 Vehicle communication bus #
        U0030 O<>*A..E/9 Vehicle communication bus # (+)
        U0033 O<>*A..E/9 Vehicle communication bus # (-)
        U0036 .*A..E/9 Vehicle communication bus # (-) shorted to (+)
        U0073 .*A..B Control module communication bus # off
        """
    }

    static var u01: String {
        """
        U0100 . No communication with engine control module A
        U0101 . No communication with transmission control module
        U0102 . No communication with transfer case control module
        U0103 . No communication with gear shift control module A
        U0104 . No communication with cruise control module
        U0105 . No communication with fuel injector control module
        U0106 . No communication with glow plug control module
        U0107 . No communication with throttle actuator control module
        U0108 . No communication with alternative fuel control module
        U0109 . No communication with fuel pump control module
        U0110 . No communication with drive motor control module A
        U0111 .*A..B No communication with battery energy control module #
        U0113 . No communication with emissions critical control information
        U0114 . No communication with four-wheel drive clutch control module
        U0115 . No communication with engine control module B
        U0116 . No communication with coolant temperature control module
        U0117 . No communication with power take-off control module
        U0118 . No communication with fuel additive control module
        U0119 . No communication with fuel cell control module
        U0120 . No communication with starter generator control module
        U0121 . No communication with anti-lock brake control module
        U0122 . No communication with vehicle dynamics control module
        U0123 . No communication with yaw rate sensor module
        U0124 . No communication with lateral acceleration sensor module
        U0125 . No communication with multi-axis acceleration sensor module
        U0126 . No communication with steering angle sensor module
        U0127 . No communication with tyre pressure monitor module
        U0128 . No communication with park brake control module
        U0129 . No communication with brake system control module
        U0130 . No communication with steering effort control module
        U0131 . No communication with power steering control module
        U0132 . No communication with ride level control module
        U0133 . No communication with active roll control module
        U0134 . No communication with rear power steering control module
        U0135 . No communication with front differential control module
        U0136 . No communication with rear differential control module
        U0137 . No communication with trailer brake control module
        U0138 . No communication with all-terrain control module
        U0139 . No communication with suspension control module B
        U0140 . No communication with body control module
        U0141 .*A..E No communication with body control module #
        U0146 .*A..E No communication with gateway #
        U0151 . No communication with restraints control module
        U0152 . No communication with left side restraints control module
        U0153 . No communication with right side restraints control module
        U0154 . No communication with restraints occupant classification module
        U0155 . No communication with instrument cluster
        U0156 .*A..B No communication with information center #
        U0158 . No communication with head-up display
        U0159 . No communication with parking assist control module A
        U0160 . No communication with audible alert control module
        U0161 . No communication with compass module
        U0162 . No communication with navigation display module
        U0163 . No communication with navigation control module
        U0164 . No communication with climate control module
        U0165 . No communication with rear climate control module
        U0166 . No communication with auxiliary heater control module
        U0167 . No communication with immobilizer control module
        U0168 . No communication with vehicle security control module
        U0169 . No communication with sunroof control module
        U0170 .*A..J No communication with restraints sensor #
        U017A .*K..N No communication with restraints sensor #
        U0180 . No communication with automatic lighting control module
        U0181 . No communication with headlamp levelling control module
        U0182 . No communication with front lighting control module
        U0183 . No communication with rear lighting control module A
        U0184 . No communication with radio
        U0185 . No communication with antenna control module
        U0186 . No communication with audio amplifier
        U0187 .*A..D No communication with disc player or changer #
        U0191 . No communication with television
        U0192 . No communication with personal computer
        U0193 .*A..B No communication with digital audio control module #
        U0195 . No communication with subscription entertainment receiver
        U0196 . No communication with rear entertainment control module A
        U0197 . No communication with telephone control module
        U0198 . No communication with telematics control module
        U0199 . No communication with door control module A
        """
    }

    static var u02: String {
        """
        U0200 .*B..G No communication with door control module #
        U0206 . No communication with folding top control module
        U0207 . No communication with movable roof control module
        U0208 .*A..D No communication with seat control module #
        U0212 . No communication with steering column control module
        U0213 . No communication with mirror control module
        U0214 . No communication with remote function actuation
        U0215 .*A..G No communication with door switch #
        U0222 .*A..G No communication with door window motor #
        U0229 . No communication with heated steering wheel module
        U0230 . No communication with rear gate module
        U0231 . No communication with rain sensor module
        U0232 . No communication with left side obstacle detection module
        U0233 . No communication with right side obstacle detection module
        U0234 . No communication with convenience recall module
        U0235 . No communication with cruise control front distance sensor
        U0236 . No communication with column lock module
        U0237 .*C..D No communication with digital audio control module #
        U0239 .*A..B No communication with entrapment control module #
        U023A . No communication with image processing module A
        U0241 .*A..B No communication with headlamp control module #
        U0243 . No communication with parking assist control module B
        U0244 . No communication with running board control module A
        U0245 . No communication with front entertainment control module
        U0246 .*E..F No communication with seat control module #
        U0248 . No communication with remote accessory module
        U0249 . No communication with rear entertainment control module B
        U0250 . No communication with impact classification system
        U0251 . No communication with running board control module B
        U0252 . No communication with rear lighting control module B
        U0253 . No communication with accessory protocol interface module
        U0254 . No communication with remote start module
        U0255 . No communication with front display interface module
        U0256 . No communication with front controls interface module A
        U0257 . No communication with front controls and display interface module
        U0291 . No communication with gear shift control module B
        U0292 . No communication with drive motor control module B
        U0293 . No communication with hybrid powertrain control module
        U0294 . No communication with powertrain monitor module
        U0295 . No communication with AC/AC converter control module
        U0296 .*A..B No communication with AC/DC converter control module #
        U0298 .*A..B No communication with DC/DC converter control module #
        U029D .*A..B No communication with NOx sensor #
        """
    }

    static var u03: String {
        """
        U0300 . Control module software is incompatible
        U0301 . Software incompatible with engine control module
        U0302 . Software incompatible with transmission control module
        U0303 . Software incompatible with transfer case control module
        U0304 . Software incompatible with gear shift control module
        U0305 . Software incompatible with cruise control module
        U0306 . Software incompatible with fuel injector control module
        U0307 . Software incompatible with glow plug control module
        U0308 . Software incompatible with throttle actuator control module
        U0309 . Software incompatible with alternative fuel control module
        U0310 . Software incompatible with fuel pump control module
        U0311 . Software incompatible with drive motor control module
        U0312 .*A..B Software incompatible with battery energy control module #
        U0314 . Software incompatible with four-wheel drive clutch control module
        U0315 . Software incompatible with anti-lock brake control module
        U0316 . Software incompatible with vehicle dynamics control module
        U0317 . Software incompatible with park brake control module
        U0318 . Software incompatible with brake system control module
        U0319 . Software incompatible with steering effort control module
        U0320 . Software incompatible with power steering control module
        U0321 . Software incompatible with ride level control module
        U0322 . Software incompatible with body control module
        U0323 . Software incompatible with instrument cluster
        U0324 . Software incompatible with climate control module
        U0325 . Software incompatible with auxiliary heater control module
        U0326 . Software incompatible with immobilizer control module
        U0327 . Software incompatible with vehicle security control module
        U0328 . Software incompatible with steering angle sensor module
        U0329 . Software incompatible with steering column control module
        U0330 . Software incompatible with tyre pressure monitor module
        U0331 . Software incompatible with body control module A
        """
    }

    static var u04: String {
        """
        U0400 . Invalid data received
        U0401 . Invalid data from engine control module A
        U0402 . Invalid data from transmission control module
        U0403 . Invalid data from transfer case control module
        U0404 . Invalid data from gear shift control module A
        U0405 . Invalid data from cruise control module
        U0406 . Invalid data from fuel injector control module
        U0407 . Invalid data from glow plug control module
        U0408 . Invalid data from throttle actuator control module
        U0409 . Invalid data from alternative fuel control module
        U0410 . Invalid data from fuel pump control module
        U0411 . Invalid data from drive motor control module A
        U0412 .*A..B Invalid data from battery energy control module #
        U0414 . Invalid data from four-wheel drive clutch control module
        U0415 . Invalid data from anti-lock brake control module
        U0416 . Invalid data from vehicle dynamics control module
        U0417 . Invalid data from park brake control module
        U0418 . Invalid data from brake system control module
        U0419 . Invalid data from steering effort control module
        U0420 . Invalid data from power steering control module
        U0421 . Invalid data from ride level control module
        U0422 . Invalid data from body control module
        U0423 . Invalid data from instrument cluster
        U0424 . Invalid data from climate control module
        U0425 . Invalid data from auxiliary heater control module
        U0426 . Invalid data from immobilizer control module
        U0427 . Invalid data from vehicle security control module
        U0428 . Invalid data from steering angle sensor module
        U0429 . Invalid data from steering column control module
        U0430 . Invalid data from tyre pressure monitor module
        U0431 . Invalid data from body control module A
        U0432 . Invalid data from multi-axis acceleration sensor module
        U0433 . Invalid data from cruise control front distance sensor
        U0434 . Invalid data from active roll control module
        U0435 . Invalid data from rear power steering control module
        U0436 . Invalid data from front differential control module
        U0437 . Invalid data from rear differential control module
        U0438 . Invalid data from trailer brake control module
        U0439 . Invalid data from all-terrain control module
        U0441 . Invalid data from emissions critical control information
        U0442 . Invalid data from engine control module B
        U0443 .*B..E Invalid data from body control module #
        U0447 .*A..C Invalid data from gateway #
        U044A . Invalid data from gateway D
        U0451 . Invalid data from gateway E
        U0452 . Invalid data from restraints control module
        U0453 . Invalid data from left side restraints control module
        U0454 . Invalid data from right side restraints control module
        U0455 . Invalid data from restraints occupant classification module
        U0456 . Invalid data from coolant temperature control module
        U0457 .*A..B Invalid data from information center #
        U0459 . Invalid data from head-up display
        U045A . Invalid data from parking assist control module A
        U0461 . Invalid data from audible alert control module
        U0462 . Invalid data from compass module
        U0463 . Invalid data from navigation display module
        U0464 . Invalid data from navigation control module
        U0465 . Invalid data from power take-off control module
        U0466 . Invalid data from rear climate control module
        U0467 . Invalid data from fuel additive control module
        U0468 . Invalid data from fuel cell control module
        U0469 . Invalid data from starter generator control module
        U046A . Invalid data from sunroof control module
        U0471 .*A..I Invalid data from restraints sensor #
        U047A .*J..N Invalid data from restraints sensor #
        U0481 . Invalid data from automatic lighting control module
        U0482 . Invalid data from headlamp levelling control module
        U0483 . Invalid data from front lighting control module
        U0484 . Invalid data from rear lighting control module A
        U0485 . Invalid data from radio
        U0486 . Invalid data from antenna control module
        U0487 . Invalid data from audio amplifier
        U0488 .*A..B Invalid data from disc player or changer #
        U0491 . Invalid data from disc player or changer D
        U0492 . Invalid data from television
        U0493 . Invalid data from personal computer
        U0494 .*A..B Invalid data from digital audio control module #
        U0496 . Invalid data from subscription entertainment receiver
        U0497 . Invalid data from rear entertainment control module A
        U0498 . Invalid data from telephone control module
        U0499 . Invalid data from telematics control module
        U049A . Invalid data from door control module A
        """
    }

    static var u05: String {
        """
        U0501 .*B..G Invalid data from door control module #
        U0507 . Invalid data from folding top control module
        U0508 . Invalid data from movable roof control module
        U0509 . Invalid data from seat control module A
        U050A . Invalid data from seat control module B
        U0511 .*C..D Invalid data from seat control module #
        U0513 . Invalid data from yaw rate sensor module
        U0514 . Invalid data from mirror control module
        U0515 . Invalid data from remote function actuation
        U0516 .*A..D Invalid data from door switch #
        U051A . Invalid data from door switch E
        U0521 .*F..G Invalid data from door switch #
        U0523 .*A..G Invalid data from door window motor #
        U052A . Invalid data from heated steering wheel module
        U0531 . Invalid data from rear gate module
        U0532 . Invalid data from rain sensor module
        U0533 . Invalid data from left side obstacle detection module
        U0534 . Invalid data from right side obstacle detection module
        U0535 . Invalid data from convenience recall module
        U0536 . Invalid data from lateral acceleration sensor module
        U0537 . Invalid data from column lock module
        U0538 .*C..D Invalid data from digital audio control module #
        U053A . Invalid data from entrapment control module A
        U0541 . Invalid data from entrapment control module B
        U0542 .*A..B Invalid data from headlamp control module #
        U0544 . Invalid data from parking assist control module B
        U0545 . Invalid data from running board control module A
        U0546 . Invalid data from front entertainment control module
        U0547 .*E..F Invalid data from seat control module #
        U0549 . Invalid data from remote accessory module
        U054A . Invalid data from rear entertainment control module B
        U0551 . Invalid data from impact classification system
        U0552 . Invalid data from running board control module B
        U0553 . Invalid data from rear lighting control module B
        U0554 . Invalid data from accessory protocol interface module
        U0555 . Invalid data from remote start module
        U0556 . Invalid data from front display interface module
        U0557 . Invalid data from front controls interface module A
        U0558 . Invalid data from front controls and display interface module
        U0592 . Invalid data from gear shift control module B
        U0593 . Invalid data from drive motor control module B
        U0594 . Invalid data from hybrid powertrain control module
        U0595 . Invalid data from powertrain monitor module
        U0596 . Invalid data from AC/AC converter control module
        U0597 .*A..B Invalid data from AC/DC converter control module #
        U0599 . Invalid data from DC/DC converter control module A
        U059A . Invalid data from DC/DC converter control module B
        """
    }

    static var u30: String {
        """
        U3000 m Control module
        U3001 . Control module not shut down properly
        U3002 . Vehicle identification number
        U3003 . Battery voltage
        U3004 . Accessory power relay
        U3005 . Retained accessory power
        U3006 .*A..B Control module supply #
        U3008 .*A..B Control module ground #
        U300A . Ignition switch
        U300B . Ignition input: accessory, on and start
        U300C . Ignition input: off, on and start
        U300D . Ignition input: on and start
        U300E . Ignition input: on
        U300F . Ignition input: accessory
        U3010 . Ignition input: start
        """
    }
}
