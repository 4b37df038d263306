/// Units and connections as the application wants them; nothing of it renders.
struct GraphModel {
    /// An input element of a unit or of the output.
    struct Input: Hashable {
        let unit: ObjectIdentifier
        let element: Int
    }

    enum Origin {
        case unit(ProcessingUnit)
        /// A format of its own, or the one set on the input.
        case callback(RenderCallback, StreamFormat?)
        /// The microphone's side of the output.
        case microphone(any CoreUnit)
    }

    struct Connection {
        /// Never used twice in a graph.
        let identifier: Int
        let origin: Origin
    }

    let output: ObjectIdentifier
    private(set) var units: [ObjectIdentifier: ProcessingUnit] = [:]
    private(set) var connections: [Input: Connection] = [:]
    private var nextIdentifier = 1

    init(output: ObjectIdentifier) { self.output = output }

    mutating func connect(_ origin: Origin, to input: Input) {
        if case .unit(let source) = origin { units[ObjectIdentifier(source)] = source }
        connections[input] = Connection(identifier: nextIdentifier, origin: origin)
        nextIdentifier += 1
    }

    mutating func add(_ unit: ProcessingUnit) { units[ObjectIdentifier(unit)] = unit }

    mutating func disconnect(_ input: Input) { connections[input] = nil }

    mutating func remove(_ unit: ProcessingUnit) {
        let name = ObjectIdentifier(unit)
        units[name] = nil
        connections = connections.filter { input, connection in
            if case .unit(let source) = connection.origin, source === unit { return false }
            return input.unit != name
        }
    }

    /// The input that a unit's output feeds.
    func consumer(of unit: ProcessingUnit) -> Input? {
        connections.first {
            if case .unit(let source) = $0.value.origin { source === unit } else { false }
        }?.key
    }

    /// Whether the microphone's side feeds something.
    var usesMicrophone: Bool {
        connections.values.contains { if case .microphone = $0.origin { true } else { false } }
    }

    /// The unit before an input.
    private func source(of input: Input) -> ProcessingUnit? {
        if case .unit(let unit)? = connections[input]?.origin { unit } else { nil }
    }

    /// Whether `unit` is fed by `other`, or by something that is.
    func isFed(_ unit: ProcessingUnit, by other: ProcessingUnit) -> Bool {
        if unit === other { return true }
        return connections.contains { input, connection in
            guard input.unit == ObjectIdentifier(unit), case .unit(let source) = connection.origin else { return false }
            return isFed(source, by: other)
        }
    }

    /// Every unit, each after those that feed it.
    var sourcesFirst: [ProcessingUnit] {
        var order: [ProcessingUnit] = []
        var seen: Set<ObjectIdentifier> = []
        func visit(_ unit: ProcessingUnit) {
            guard seen.insert(ObjectIdentifier(unit)).inserted else { return }
            for element in 0..<unit.inputElements {
                if let source = source(of: Input(unit: ObjectIdentifier(unit), element: element)) { visit(source) }
            }
            order.append(unit)
        }
        for unit in units.values { visit(unit) }
        return order
    }

    /// The first input on the way to the output that has to be fed and is not.
    func missingSource() -> (unit: ProcessingUnit?, element: Int)? {
        guard connections[Input(unit: output, element: 0)] != nil else { return (nil, 0) }
        guard let last = source(of: Input(unit: output, element: 0)) else { return nil }
        return missingSource(before: last)
    }

    private func missingSource(before unit: ProcessingUnit) -> (unit: ProcessingUnit?, element: Int)? {
        for element in 0..<unit.inputElements {
            let input = Input(unit: ObjectIdentifier(unit), element: element)
            if let source = source(of: input) {
                if let missing = missingSource(before: source) { return missing }
            } else if unit.shape.needsInput, connections[input] == nil {
                return (unit, element)
            }
        }
        return nil
    }
}
