internal import Reporting

/// Turns a YAML tree into a graph's description; every complaint names the line, and the nearest known name.
struct GraphReader {
    let path: String

    private static let topKeys = [
        "rate", "channels", "block", "duration", "tail", "to", "units", "output", "automation",
    ]

    func read(_ root: YAMLNode, into graph: inout GraphDescription) throws(SettingsError) {
        for entry in try mapping(root, "the file") {
            switch entry.key {
            case "rate": graph.rate = try whole(entry, 4_000...384_000)
            case "channels": graph.channels = try whole(entry, 1...2)
            case "block": graph.block = try whole(entry, 16...8_192)
            case "duration": graph.duration = try number(entry, 0.001...1e6)
            case "tail": graph.tail = try number(entry, 0...3_600)
            case "to": graph.target = try scalar(entry.value, "to").text
            case "units": graph.units = try units(entry.value)
            case "output": graph.output = try scalar(entry.value, "output")
            case "automation": graph.automation = try steps(entry.value)
            default: throw unknown("key", entry.key, line: entry.line, known: Self.topKeys)
            }
        }
        try check(&graph, line: root.line)
    }

    // MARK: units

    private func units(_ node: YAMLNode) throws(SettingsError) -> [GraphDescription.Unit] {
        var units: [GraphDescription.Unit] = []
        for entry in try mapping(node, "units") { units.append(try unit(entry)) }
        return units
    }

    private func unit(_ entry: YAMLNode.Entry) throws(SettingsError) -> GraphDescription.Unit {
        let fields = try mapping(entry.value, "unit '\(entry.key)'")
        guard let type = fields.first(where: { $0.key == "type" }) else {
            throw malformed(entry.line, "unit '\(entry.key)' has no type")
        }
        let name = try scalar(type.value, "type")
        guard let kind = GraphUnitKind(rawValue: name.text) else {
            throw unknown("type", name.text, line: name.line, known: GraphUnitKind.allCases.map(\.rawValue))
        }
        var unit = GraphDescription.Unit(name: entry.key, line: entry.line, kind: kind)
        let plain = kind.settings + kind.fixedSettings.filter { $0 != "files" }
        for field in fields where field.key != "type" {
            switch field.key {
            case "input" where kind.inputs.upperBound == 1:
                unit.inputs = [GraphDescription.Input(unit: try scalar(field.value, "input"))]
            case "inputs" where kind.inputs.upperBound > 1:
                for item in try sequence(field.value, "inputs") { unit.inputs.append(try input(item, of: kind)) }
            case "file" where kind == .player: unit.files.append(try scalar(field.value, "file"))
            case "files" where kind == .player:
                for item in try sequence(field.value, "files") { unit.files.append(try scalar(item, "a file")) }
            case let key where plain.contains(key): unit.settings[key] = try scalar(field.value, key)
            default:
                let inputs = kind.inputs.upperBound == 1 ? ["input"] : kind.inputs.upperBound > 1 ? ["inputs"] : []
                throw unknown(
                    "setting of a \(kind.rawValue)", field.key, line: field.line,
                    known: ["type"] + inputs + kind.fixedSettings + kind.settings)
            }
        }
        guard kind.inputs.contains(unit.inputs.count) else {
            throw malformed(
                entry.line, "\(kind.rawValue) '\(entry.key)' has no \(kind.inputs.upperBound == 1 ? "input" : "inputs")")
        }
        if kind == .player, unit.files.isEmpty { throw malformed(entry.line, "player '\(entry.key)' has no file") }
        return unit
    }

    /// The name of a unit, or `unit: NAME` with settings of the input.
    private func input(_ node: YAMLNode, of kind: GraphUnitKind) throws(SettingsError) -> GraphDescription.Input {
        if case .scalar(let text) = node.content {
            return GraphDescription.Input(unit: GraphDescription.Value(text: text, line: node.line))
        }
        var source: GraphDescription.Value?
        var settings: [String: GraphDescription.Value] = [:]
        for entry in try mapping(node, "an input") {
            if entry.key == "unit" {
                source = try scalar(entry.value, "unit")
            } else if kind.inputSettings.contains(entry.key) {
                settings[entry.key] = try scalar(entry.value, entry.key)
            } else {
                throw unknown("setting of an input", entry.key, line: entry.line, known: ["unit"] + kind.inputSettings)
            }
        }
        guard let source else { throw malformed(node.line, "an input names no unit") }
        return GraphDescription.Input(unit: source, settings: settings)
    }

    // MARK: automation

    private func steps(_ node: YAMLNode) throws(SettingsError) -> [GraphDescription.Step] {
        var steps: [GraphDescription.Step] = []
        for item in try sequence(node, "automation") {
            let fields = try mapping(item, "a step")
            let known = ["at", "unit", "input", "set", "value"]
            if let wrong = fields.first(where: { !known.contains($0.key) }) {
                throw unknown("key of a step", wrong.key, line: wrong.line, known: known)
            }
            func field(_ name: String) throws(SettingsError) -> YAMLNode.Entry {
                guard let entry = fields.first(where: { $0.key == name }) else {
                    throw malformed(item.line, "a step has no '\(name)'")
                }
                return entry
            }
            var input: Int?
            if let entry = fields.first(where: { $0.key == "input" }) { input = try whole(entry, 0...255) }
            steps.append(
                GraphDescription.Step(
                    seconds: try number(field("at"), 0...1e6), unit: try scalar(field("unit").value, "unit").text,
                    input: input, setting: try scalar(field("set").value, "set").text,
                    value: try scalar(field("value").value, "value"), line: item.line))
        }
        return steps
    }

    // MARK: what hangs together

    private func check(_ graph: inout GraphDescription, line: Int) throws(SettingsError) {
        let names = graph.units.map(\.name)
        if names.isEmpty { throw malformed(line, "there are no units") }
        var feeds: [String: String] = [:]
        for unit in graph.units {
            for input in unit.inputs {
                guard names.contains(input.unit.text) else {
                    throw unknown("unit", input.unit.text, line: input.unit.line, known: names)
                }
                if let other = feeds[input.unit.text] {
                    throw malformed(input.unit.line, "'\(input.unit.text)' feeds '\(other)' already: a unit feeds one input")
                }
                feeds[input.unit.text] = unit.name
            }
        }
        if graph.output.text.isEmpty {
            let free = names.filter { feeds[$0] == nil }
            guard free.count == 1 else {
                throw malformed(
                    line, "say which unit is the output: \(free.isEmpty ? "none" : free.joined(separator: ", ")) feeds no other"
                )
            }
            graph.output.text = free[0]
        }
        guard names.contains(graph.output.text) else {
            throw unknown("unit", graph.output.text, line: graph.output.line, known: names)
        }
        if let idle = graph.units.first(where: { feeds[$0.name] == nil && $0.name != graph.output.text }) {
            throw malformed(idle.line, "'\(idle.name)' feeds no other unit and is not the output")
        }
        for step in graph.automation { try check(step, graph) }
    }

    private func check(_ step: GraphDescription.Step, _ graph: GraphDescription) throws(SettingsError) {
        guard let unit = graph.unit(named: step.unit) else {
            throw unknown("unit", step.unit, line: step.line, known: graph.units.map(\.name))
        }
        let known = step.input == nil ? unit.kind.settings : unit.kind.inputSettings
        if let input = step.input, !unit.inputs.indices.contains(input) || known.isEmpty {
            throw malformed(step.line, "'\(unit.name)' has no input \(input) whose settings change")
        }
        if unit.kind.fixedSettings.contains(step.setting), step.input == nil {
            throw malformed(step.line, "'\(step.setting)' of a \(unit.kind.rawValue) cannot change while it renders")
        }
        guard known.contains(step.setting) else {
            throw unknown("setting of a \(unit.kind.rawValue)", step.setting, line: step.line, known: known)
        }
    }

    // MARK: values

    private func mapping(_ node: YAMLNode, _ what: String) throws(SettingsError) -> [YAMLNode.Entry] {
        guard case .mapping(let entries) = node.content else {
            throw malformed(node.line, "\(what) is no list of `key: value`")
        }
        return entries
    }

    private func sequence(_ node: YAMLNode, _ what: String) throws(SettingsError) -> [YAMLNode] {
        guard case .sequence(let items) = node.content else { throw malformed(node.line, "\(what) is no list of `- ...`") }
        return items
    }

    private func scalar(_ node: YAMLNode, _ what: String) throws(SettingsError) -> GraphDescription.Value {
        guard case .scalar(let text) = node.content, !text.isEmpty, !text.utf8.contains(0) else {
            throw malformed(node.line, "\(what) has no plain value")
        }
        return GraphDescription.Value(text: text, line: node.line)
    }

    private func number(_ entry: YAMLNode.Entry, _ range: ClosedRange<Double>) throws(SettingsError) -> Double {
        let value = try scalar(entry.value, entry.key)
        guard let number = Double(value.text), range.contains(number) else {
            throw malformed(value.line, "\(entry.key) cannot be '\(value.text)': \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func whole(_ entry: YAMLNode.Entry, _ range: ClosedRange<Int>) throws(SettingsError) -> Int {
        let value = try scalar(entry.value, entry.key)
        guard let number = Int(value.text), range.contains(number) else {
            throw malformed(
                value.line, "\(entry.key) cannot be '\(value.text)': a whole number \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func malformed(_ line: Int, _ reason: String) -> SettingsError {
        .malformedGraph(path: path, line: line, reason: reason)
    }

    private func unknown(_ what: String, _ name: String, line: Int, known: [String]) -> SettingsError {
        let hint = nearestName(to: name, among: known).map { ", did you mean '\($0)'?" }
        return malformed(line, "no \(what) '\(name)'\(hint ?? " (there is \(known.joined(separator: ", ")))")")
    }
}
