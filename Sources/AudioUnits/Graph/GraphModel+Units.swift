extension GraphModel {
    /// Initializes the units that are not yet, those that feed others first, with the formats their connections bring; on
    /// failure none of them stays so.
    func prepareUnits(maximumFrames: Int, _ leaving: Leaving) throws(AudioUnitError) {
        try checkMicrophone()
        try checkElements()
        var made: [ProcessingUnit] = []
        do throws(AudioUnitError) {
            for unit in sourcesFirst where unit.state == .uninitialized {
                for element in 0..<unit.inputElements {
                    let input = Input(unit: ObjectIdentifier(unit), element: element)
                    guard let format = try connectedFormat(of: input, of: unit) else { continue }
                    try unit.setFormat(format, scope: .input, element: element)
                }
                try unit.setMaximumFramesPerSlice(maximumFrames)
                try unit.initialize()
                made.append(unit)
            }
        } catch {
            for unit in made {
                leaving.take(unit.node)
                unit.uninitialize()
            }
            throw error
        }
    }

    /// A microphone that is off would be a source that never sounds.
    private func checkMicrophone() throws(AudioUnitError) {
        for connection in connections.values {
            if case .microphone(let unit) = connection.origin, !unit.core.enablesInput {
                throw .inputDisabled(unit: "\(unit.component)")
            }
        }
    }

    /// An input that is connected may be no longer there; what feeds it would never be heard.
    private func checkElements() throws(AudioUnitError) {
        for input in connections.keys {
            guard let unit = units[input.unit], input.element >= unit.inputElements else { continue }
            throw .noSuchElement(input.element)
        }
    }

    /// The format that a connection brings to an input of `consumer`. An effect would hand it on: what a callback fills is
    /// converted to the format set there.
    private func connectedFormat(of input: Input, of consumer: ProcessingUnit) throws(AudioUnitError) -> StreamFormat? {
        switch connections[input]?.origin {
        case .unit(let source)?: return try source.format(scope: .output, element: 0)
        case .microphone(let unit)?:
            let format = try unit.format(scope: .output, element: Element.input)
            return StreamFormat(sampleRate: format.sampleRate, channels: format.channels)
        case .callback(_, let format)?: return consumer.shape.formats == .effect ? nil : format
        case nil: return nil
        }
    }

    /// What the output asks for: the rate and channels of what feeds it, as runs of Float32.
    func outputFormat(of unit: any AudioUnit) throws(AudioUnitError) -> StreamFormat {
        let format =
            switch connections[Input(unit: output, element: 0)]?.origin {
            case .unit(let unit)?: try unit.format(scope: .output, element: 0)
            case .microphone(let unit)?: try unit.format(scope: .output, element: Element.input)
            case .callback(_, let format?)?: format
            case .callback, nil: try unit.format(scope: .input, element: Element.output)
            }
        return StreamFormat(sampleRate: format.sampleRate, channels: format.channels)
    }
}
