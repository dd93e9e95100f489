// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SocketCAN

struct TransportReceiversTests {
    private static let head = """
        receive list 'rx_sff':
          device   can_id   can_mask  function  userdata   matches  ident

        """

    @Test(
        "A socket that receives the replies of ECUs on the interface is a tester",
        arguments: [
            ("   can0      7e8    c00007ff  0000000000000000  0000000000000000         4  isotp", true),
            ("   can0   98daf110  dfffffff  0000000000000000  0000000000000000         0  isotp", true),
            // An ECU, another interface, another kind of socket, and no entry.
            ("   can0      7e0    c00007ff  0000000000000000  0000000000000000         4  isotp", false),
            ("   can0   98da10f1  dfffffff  0000000000000000  0000000000000000         0  isotp", false),
            ("   can1      7e8    c00007ff  0000000000000000  0000000000000000         4  isotp", false),
            ("   can0      7e8    c00007ff  0000000000000000  0000000000000000         4  raw", false),
            ("  (can0: no entry)", false),
        ]
    )
    func tester(line: String, isTester: Bool) {
        #expect(TransportReceivers.hasTester(on: "can0", in: Self.head + line + "\n") == isTester)
    }
}
