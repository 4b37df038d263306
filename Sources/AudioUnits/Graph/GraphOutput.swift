/// The unit that pulls a graph: hardware or the application.
enum GraphOutput {
    case hardware(any InputOutputUnit)
    case application(GenericOutput)

    var unit: any AudioUnit {
        switch self {
        case .hardware(let unit): unit
        case .application(let unit): unit
        }
    }

    func setRenderCallback(_ callback: RenderCallback?) throws(AudioUnitError) {
        switch self {
        case .hardware(let unit): try unit.setRenderCallback(callback)
        case .application(let unit): try unit.setRenderCallback(callback)
        }
    }

    /// Whether the unit has `callback` still: another graph, or the application, may have set its own since. A unit that is not
    /// of this package does not tell, and is taken to have it.
    func has(_ callback: RenderCallback) -> Bool {
        switch self {
        case .hardware(let unit): (unit as? any CoreUnit)?.core.has(callback) ?? true
        case .application(let unit): unit.has(callback)
        }
    }

    func start() throws(AudioUnitError) {
        if case .hardware(let unit) = self { try unit.start() }
    }

    func stop() {
        if case .hardware(let unit) = self { unit.stop() }
    }
}
