// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import EventLoop

extension MachineIdentity {
    /// Returns the identity of this machine's agent whose database is in `directory`.
    ///
    /// Each agent of a machine has a directory of its own, which it locks, and so an id of its own: two agents with one
    /// id would end each other's connection to the broker, and number two records alike. The agent of the usual
    /// directory has the machine's id. Only the text of the path counts: a directory that becomes a link keeps its id.
    package func agent(in directory: String) -> MachineIdentity {
        let path = "/" + directory.split(separator: "/").joined(separator: "/")
        guard path != StateDirectory.usual else { return self }
        return MachineIdentity(agent: FNV1a.shortHash(of: "obd-agent \(self.agent) in \(path)"), boot: self.boot)
    }
}
