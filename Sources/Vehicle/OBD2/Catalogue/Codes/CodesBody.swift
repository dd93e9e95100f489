// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Body codes that SAE J2012 defines.
///
/// A code names the component only. The kind of fault, such as low, high or open, is the failure type that UDS adds.
extension CodeTable {
    static var b00: String {
        """
        B0001 .*3 Driver frontal airbag, stage #
        B0004 . Driver knee airbag
        B0005 . Collapsible steering column
        B0010 .*3 Passenger frontal airbag, stage #
        B0013 . Passenger knee airbag
        B0020 . Left side airbag
        B0021 .*2 Left curtain airbag #
        B0028 . Right side airbag
        B0029x .*2 Right curtain airbag #
        B0030 . Row 2 left side airbag
        B0031 .*3 Row 2 left frontal airbag, stage #
        B0038 . Row 2 right side airbag
        B0039x .*3 Row 2 right frontal airbag, stage #
        B0040 . Row 3 left side airbag
        B0041 .*3 Row 3 left frontal airbag, stage #
        B0048 . Row 3 right side airbag
        B0049x .*3 Row 3 right frontal airbag, stage #
        B0050 . Driver seat belt sensor
        B0051 . Row 1 center seat belt sensor
        B0052 . Passenger seat belt sensor
        B0053 .*2..3/3 Row # left seat belt sensor
        B0054 .*2..3/3 Row # center seat belt sensor
        B0055 .*2..3/3 Row # right seat belt sensor
        B0060 . Driver seat belt tension sensor
        B0061 . Passenger seat belt tension sensor
        B0070 . Driver seat belt pretensioner
        B0071 . Row 1 center seat belt pretensioner
        B0072 . Passenger seat belt pretensioner
        B0073 .*2..3/3 Row # left seat belt pretensioner
        B0074 .*2..3/3 Row # center seat belt pretensioner
        B0075 .*2..3/3 Row # right seat belt pretensioner
        B0079 . Driver seat belt pretensioner B
        B007A . Passenger seat belt pretensioner B
        B0080 . Driver seat belt load limiter
        B0081 . Row 1 center seat belt load limiter
        B0082 . Passenger seat belt load limiter
        B0083 .*2..3/3 Row # left seat belt load limiter
        B0084 .*2..3/3 Row # center seat belt load limiter
        B0085 .*2..3/3 Row # right seat belt load limiter
        B0090 . Left frontal crash sensor
        B0091 .*3 Left side crash sensor #
        B0094 . Centre frontal crash sensor
        B0095 . Right frontal crash sensor
        B0096 .*3 Right side crash sensor #
        B0099 . Roll-over sensor
        B00A0 . Occupant classification system
        B00A1 . Occupant position system
        B00B0 .*A..E Driver seat occupant classification sensor #
        B00B5 . Driver seat track position sensor
        B00B6 . Driver seat recline position sensor
        B00B7 .*A..E Driver seat occupant position sensor #
        B00C0 .*A..E Passenger seat occupant classification sensor #
        B00C5 . Passenger seat track position sensor
        B00C6 . Passenger seat recline position sensor
        B00C7 .*A..E Passenger seat occupant position sensor #
        B00D0 . Driver seat belt indicator
        B00D1 . Passenger seat belt indicator
        B00D2 .*2 Restraint system warning lamp #
        B00D4 . Restraint system warning sound
        B00D5 . Passenger restraint disabled lamp
        B00DF . Passenger restraint disable switch
        """
    }
}
