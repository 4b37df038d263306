import Realtime

/// What a mixer was told, kept behind its lock: the settings of its inputs, and of all together.
protocol MixerControl {
    /// What one input was told.
    associatedtype Input: Sendable
    /// One for each input.
    var settings: [Input] { get set }
    /// Hands an input's settings to the render thread.
    func place(_ input: Int)
}

extension Lock where Value: MixerControl {
    /// - Throws: `AudioUnitError.noSuchElement`.
    func settings(_ input: Int) throws(AudioUnitError) -> Value.Input {
        let settings = withLock { $0.settings.indices.contains(input) ? $0.settings[input] : nil }
        guard let settings else { throw .noSuchElement(input) }
        return settings
    }

    /// Changes an input's settings, and hands them on.
    /// - Throws: `AudioUnitError.noSuchElement`.
    func change(_ input: Int, _ change: (inout Value.Input) -> Void) throws(AudioUnitError) {
        let isThere = withLock { control in
            guard control.settings.indices.contains(input) else { return false }
            var settings = control.settings[input]
            change(&settings)
            control.settings[input] = settings
            control.place(input)
            return true
        }
        if !isThere { throw .noSuchElement(input) }
    }
}
