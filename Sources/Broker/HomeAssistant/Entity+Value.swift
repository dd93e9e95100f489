// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

extension Entity {
    /// Returns the entity that shows a value from its topic.
    ///
    /// The entity has no availability topic, so it keeps the last value. The agent clears the topic of a value that is
    /// no longer polled. The template then gives `None`, which Home Assistant shows as unknown without a warning.
    init(_ value: VehicleValue, topic: String, isImperial: Bool) {
        let field = value.field
        var settings: [String: JSON] = ["stat_t": .string(topic)]
        var component = Component.sensor
        if ParameterCategory(of: field.name) == .diagnosis { settings["ent_cat"] = "diagnostic" }
        if !value.isEnabled { settings["en"] = false }
        if let role = field.role, let deviceClass = SensorClass.binaryClass(of: role) {
            settings["dev_cla"] = .string(deviceClass)
            settings["val_tpl"] = .string(
                "{{ ('ON' if \(Self.condition(of: field)) else 'OFF') if value_json is defined else None }}"
            )
            self.init(field.name, .binarySensor, name: value.title, settings)
            return
        }
        switch field.kind {
        case .number:
            settings["val_tpl"] = "{{ value_json.value if value_json is defined else None }}"
            settings.merge(Self.number(field, isImperial: isImperial)) { first, _ in first }
        case .flag:
            component = .binarySensor
            settings["val_tpl"] = "{{ ('ON' if value_json.value else 'OFF') if value_json is defined else None }}"
        case .code:
            settings["dev_cla"] = "enum"
            settings["ops"] = .array(Set(field.labels.values).sorted().map { .string($0) })
            settings["val_tpl"] =
                "{{ value_json.label if value_json is defined and value_json.label is defined else None }}"
            settings["ic"] = .string(SensorClass.icon(of: ParameterCategory(of: field.name)))
        case .text:
            settings["val_tpl"] = "{{ value_json.value if value_json is defined else None }}"
            settings["ic"] = .string(SensorClass.icon(of: ParameterCategory(of: field.name)))
        case .names:
            // Home Assistant limits a state to 255 characters.
            settings["val_tpl"] = .string(
                "{{ ((value_json.value | join(', ')) or 'none') | truncate(255, true, '…', 0)"
                    + " if value_json is defined else None }}"
            )
            settings["ic"] = .string(SensorClass.icon(of: ParameterCategory(of: field.name)))
        }
        self.init(field.name, component, name: value.title, settings)
    }

    /// Returns the condition of a template that a truth value is true.
    private static func condition(of field: Field) -> String {
        guard field.kind == .code else { return "value_json.value" }
        return field.trueValues.map { "value_json.value in \($0.sorted())" } ?? "value_json.value != 0"
    }

    private static func number(_ field: Field, isImperial: Bool) -> [String: JSON] {
        var (unit, symbol, resolution) = (field.unit, field.symbol, field.resolution)
        if isImperial, let (step, imperial) = field.imperial(resolution), let (zero, _) = field.imperial(0) {
            (unit, symbol, resolution) = (imperial, imperial.symbol, step - zero)
        }
        var sensor = SensorClass(of: field.name, unit: unit, symbol: symbol)
        if let role = field.role { sensor.setRole(role) }
        var settings: [String: JSON] = [
            "stat_cla": .string(sensor.state.rawValue),
            "sug_dsp_prc": .integer(Int64(ParameterWords.decimals(of: resolution, symbol))),
        ]
        settings["dev_cla"] = sensor.deviceClass.map { .string($0) }
        settings["unit_of_meas"] = sensor.unit.map { .string($0) }
        settings["ic"] = sensor.icon.map { .string($0) }
        return settings
    }
}
