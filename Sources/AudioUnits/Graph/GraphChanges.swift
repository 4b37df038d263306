/// Changes to a graph's connections that take effect together: what `AudioGraph.change` hands to its body.
public struct GraphChanges {
    var model: GraphModel
    let graph: ObjectIdentifier
    /// The output, where it has a microphone's side.
    let microphone: (any CoreUnit)?
    let leaving: Leaving

    /// Feeds an input of `target` (a unit, or the graph's output) from a unit's output element.
    ///
    /// Each output feeds one input, each input is fed by one source. Units join the graph by being connected.
    public mutating func connect(
        _ source: ProcessingUnit, output element: Int = 0, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        guard element == 0 else { throw .noSuchElement(element) }
        let place = try place(of: target, element: input)
        guard source.state != .disposed else { throw .disposed }
        guard model.connections[place] == nil else {
            throw .inputTaken(unit: "\(target.component)", element: input)
        }
        guard model.consumer(of: source) == nil else {
            throw .outputTaken(unit: "\(source.component)", element: element)
        }
        if let unit = target as? ProcessingUnit, model.isFed(source, by: unit) {
            throw .loop(unit: "\(source.component)")
        }
        try join(source)
        if let unit = target as? ProcessingUnit { try join(unit) }
        model.connect(.unit(source), to: place)
    }

    /// Feeds an input of `target` from a render callback, which fills `format`, or if that is nil the format set on the
    /// input.
    public mutating func connect(
        _ callback: RenderCallback, format: StreamFormat? = nil, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        try format?.validate()
        let place = try place(of: target, element: input)
        guard model.connections[place] == nil else {
            throw .inputTaken(unit: "\(target.component)", element: input)
        }
        if let unit = target as? ProcessingUnit { try join(unit) }
        // It may be disconnected again by the same change.
        leaving.take(callback)
        model.connect(.callback(callback, format), to: place)
    }

    /// Feeds an input of `target` from the microphone's side of the graph's own output, element 1 of `source`.
    ///
    /// It has to be enabled before `initialize()`, and feeds one input. What the input handler gets stays as it is.
    public mutating func connect(
        _ source: any InputOutputUnit, output element: Int = Element.input, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        guard element == Element.input else { throw .noSuchElement(element) }
        guard let microphone, microphone === source else { throw .notInGraph(unit: "\(source.component)") }
        let place = try place(of: target, element: input)
        guard model.connections[place] == nil else {
            throw .inputTaken(unit: "\(target.component)", element: input)
        }
        guard !model.usesMicrophone else { throw .outputTaken(unit: "\(source.component)", element: element) }
        if let unit = target as? ProcessingUnit { try join(unit) }
        model.connect(.microphone(microphone), to: place)
    }

    /// Leaves an input without a source; one that has none stays as it is. An input that was connected and is no longer there
    /// may be disconnected still.
    public mutating func disconnect(_ target: any AudioUnit, input: Int = 0) throws(AudioUnitError) {
        model.disconnect(try place(of: target, element: input))
    }

    /// Takes a unit with all its connections out of the graph, which uninitializes it.
    public mutating func remove(_ unit: ProcessingUnit) throws(AudioUnitError) {
        guard model.units[ObjectIdentifier(unit)] != nil else { throw .notInGraph(unit: "\(unit.component)") }
        model.remove(unit)
    }

    private func place(of target: any AudioUnit, element: Int) throws(AudioUnitError) -> GraphModel.Input {
        let name = ObjectIdentifier(target)
        if name == model.output {
            guard element == 0 else { throw .noSuchElement(element) }
            return GraphModel.Input(unit: name, element: 0)
        }
        guard let unit = target as? ProcessingUnit else { throw .notInGraph(unit: "\(target.component)") }
        guard unit.state != .disposed else { throw .disposed }
        let input = GraphModel.Input(unit: name, element: element)
        guard (0..<unit.inputElements).contains(element) || model.connections[input] != nil else {
            throw .noSuchElement(element)
        }
        return input
    }

    /// Units are claimed when the changes are made; a refused change gives new ones back.
    private mutating func join(_ unit: ProcessingUnit) throws(AudioUnitError) {
        guard unit.claim(graph) else { throw .inAnotherGraph(unit: "\(unit.component)") }
        model.add(unit)
    }
}
