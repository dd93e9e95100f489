// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The quality of service: the guarantee with which a message is delivered (MQTT 5, section 4.3).
package enum QoS: UInt8, Hashable, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2
}

/// The packet identifier of a PUBLISH or SUBSCRIBE until it is acknowledged (MQTT 5, section 2.2.1).
package struct PacketID: Hashable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// An application message, as it is published and received (MQTT 5, section 3.3).
package struct Message: Hashable, Sendable {
    package var topic: Topic
    package var payload: [UInt8]
    package var qos: QoS
    /// The retain flag.
    ///
    /// In a published message it asks the broker to retain the message. In a received message it means that the broker
    /// had retained it, or that the publisher set the flag and the subscription has Retain As Published.
    package var retain: Bool
    /// The properties of MQTT 5; not sent to a 3.1.1 broker.
    package var properties: Properties
    /// The packet identifier of a received message whose acknowledgement is held back; nil for any other message.
    package var packet: PacketID?

    package init(
        topic: Topic,
        payload: [UInt8],
        qos: QoS = .atMostOnce,
        retain: Bool = false,
        properties: Properties = Properties()
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.properties = properties
    }
}

extension Message {
    /// The message properties that the agent uses (MQTT 5, section 3.3.2.3).
    package struct Properties: Hashable, Sendable {
        /// The topic on which the sender expects the response; untrusted like the rest of the message.
        package var responseTopic: Topic?
        /// The bytes to return unchanged with the response; at most 65,535.
        package var correlationData: [UInt8]?
        /// The number of seconds after which the broker may drop the message.
        package var expiry: UInt32?
        /// The media type of the payload, such as `application/json`.
        package var contentType: String?
        /// The user properties in their order; a name may occur more than once.
        package var userProperties: [UserProperty]

        /// The longest response topic and the longest correlation data that a response repeats, in bytes.
        package static let echoLimit = 256

        /// The response topic and the correlation data, each only if it is short enough to be repeated in a response.
        package var echo: Properties {
            Properties(
                responseTopic: self.responseTopic.flatMap { $0.description.utf8.count <= Self.echoLimit ? $0 : nil },
                correlationData: self.correlationData.flatMap { $0.count <= Self.echoLimit ? $0 : nil }
            )
        }

        package init(
            responseTopic: Topic? = nil,
            correlationData: [UInt8]? = nil,
            expiry: UInt32? = nil,
            contentType: String? = nil,
            userProperties: [UserProperty] = []
        ) {
            self.responseTopic = responseTopic
            self.correlationData = correlationData
            self.expiry = expiry
            self.contentType = contentType
            self.userProperties = userProperties
        }
    }

    /// A name and a value whose meaning is left to the publisher and the subscriber.
    package struct UserProperty: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
