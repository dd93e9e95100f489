// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Drive

extension Configuration {
    /// The receiver of positions, and the extent to which positions leave the agent.
    package struct Position: Equatable, Sendable {
        /// The address of gpsd, or `nil` for no positions.
        package var gpsd: GPSD?
        /// The extent to which positions leave the agent.
        package var sharing: PositionSharing
        /// The places whose surroundings are never published.
        package var zones: [HomeZones.Zone]

        package init(gpsd: GPSD? = nil, sharing: PositionSharing = .full, zones: [HomeZones.Zone] = []) {
            self.gpsd = gpsd
            self.sharing = sharing
            self.zones = zones
        }

        /// The names of the zones.
        package var zoneNames: [String] { self.zones.map(\.name) }

        /// The address of gpsd, on this machine or in its network.
        package struct GPSD: Hashable, Sendable {
            /// A host name or an IP address, without brackets.
            package var host: String
            /// The port, from 1 to 65535.
            package var port: UInt16

            /// Parses `HOST:PORT`; without a port it is 2947.
            ///
            /// - Throws: also if the host is outside of the local network, judged by its text alone.
            package init(_ text: String) throws(ValueError) {
                let endpoint = try Endpoint(text)
                guard Endpoint.isLocal(endpoint.host) else { throw .remoteGPSD(endpoint.host) }
                self.host = endpoint.host
                self.port = endpoint.port ?? 2947
            }
        }

        /// The valid radii of zones, in m.
        static let radii = 50.0...50_000
        /// The radius of a zone without one, in m.
        static let defaultRadius = 500.0
        /// The largest number of zones.
        static let zoneLimit = 50
        /// The largest length of a zone's name, in bytes.
        static let nameLimit = 64
    }
}

extension Configuration.Position.GPSD: CustomStringConvertible {
    package var description: String { "\(Endpoint.bracketed(self.host)):\(self.port)" }
}
