/// Single changes; `change` makes several at once.
extension AudioGraph {
    /// Feeds an input of `target` (a unit, or the graph's output) from a unit's output.
    public func connect(
        _ source: ProcessingUnit, output element: Int = 0, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        try change { (changes) throws(AudioUnitError) in
            try changes.connect(source, output: element, to: target, input: input)
        }
    }

    /// Feeds an input from a render callback, which fills `format`, or if that is nil the format set on the input.
    public func connect(
        _ callback: RenderCallback, format: StreamFormat? = nil, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        try change { (changes) throws(AudioUnitError) in
            try changes.connect(callback, format: format, to: target, input: input)
        }
    }

    /// Feeds an input from the microphone's side (element 1) of the graph's own output: `RemoteIO` or `VoiceProcessingIO`.
    ///
    /// The output's clock is the microphone's, its blocks need not be: what is heard of it is one captured and one
    /// played block old.
    public func connect(
        _ source: any InputOutputUnit, output element: Int = Element.input, to target: any AudioUnit, input: Int = 0
    ) throws(AudioUnitError) {
        try change { (changes) throws(AudioUnitError) in
            try changes.connect(source, output: element, to: target, input: input)
        }
    }

    /// Leaves an input without a source.
    public func disconnect(_ target: any AudioUnit, input: Int = 0) throws(AudioUnitError) {
        try change { (changes) throws(AudioUnitError) in try changes.disconnect(target, input: input) }
    }

    /// Takes a unit with all its connections out of the graph, which uninitializes it.
    public func remove(_ unit: ProcessingUnit) throws(AudioUnitError) {
        try change { (changes) throws(AudioUnitError) in try changes.remove(unit) }
    }
}
