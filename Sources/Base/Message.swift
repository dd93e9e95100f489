// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How hard a message is delivered (MQTT 5, section 4.3).
package enum QoS: UInt8, Hashable, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2
}

/// An application message: what is published and what a subscriber gets (MQTT 5, section 3.3).
package struct Message: Hashable, Sendable {
    package var topic: Topic
    package var payload: [UInt8]
    package var qos: QoS
    /// The retain flag.
    ///
    /// Published: the broker shall keep the message. Received: it was kept, or the subscription asked for Retain As
    /// Published and the publisher had set it.
    package var retain: Bool
    /// What MQTT 5 adds; not sent to a 3.1.1 broker.
    package var properties: Properties

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
    /// The properties of a message that this product uses (MQTT 5, section 3.3.2.3).
    package struct Properties: Hashable, Sendable {
        /// Where the sender wants the answer; untrusted like the rest of the message.
        package var responseTopic: Topic?
        /// To be sent back unchanged with the answer; at most 65,535 bytes.
        package var correlationData: [UInt8]?
        /// After how many seconds the broker may forget the message.
        package var expiry: UInt32?
        /// The media type of the payload: `application/json`.
        package var contentType: String?
        /// Pairs in their order; a name may occur more than once.
        package var userProperties: [UserProperty]

        /// The longest response topic, and the longest correlation data, that an answer repeats, in bytes.
        package static let echoLimit = 256

        /// The response topic and the correlation data, as far as an answer repeats them.
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

    /// A name and a value that mean something to the two ends only.
    package struct UserProperty: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
