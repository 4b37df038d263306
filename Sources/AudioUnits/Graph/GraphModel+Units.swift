extension GraphModel {
    /// Initializes the units that are not yet, those that feed others first, with the formats their connections bring; on
    /// failure none of them stays so.
    func prepareUnits(maximumFrames: Int) throws(AudioUnitError) {
        var made: [ProcessingUnit] = []
        do throws(AudioUnitError) {
            for unit in sourcesFirst where unit.state == .uninitialized {
                for element in 0..<unit.inputElements {
                    let input = Input(unit: ObjectIdentifier(unit), element: element)
                    guard case .unit(let source)? = connections[input]?.origin else { continue }
                    try unit.setFormat(
                        try source.format(scope: .output, element: 0), scope: .input, element: element)
                }
                try unit.setMaximumFramesPerSlice(maximumFrames)
                try unit.initialize()
                made.append(unit)
            }
        } catch {
            for unit in made { unit.uninitialize() }
            throw error
        }
    }

    /// What the output asks for: the rate and channels of what feeds it, as runs of Float32.
    func outputFormat(of unit: any AudioUnit) throws(AudioUnitError) -> StreamFormat {
        let format =
            switch connections[Input(unit: output, element: 0)]?.origin {
            case .unit(let unit)?: try unit.format(scope: .output, element: 0)
            case .callback(_, let format?)?: format
            case .callback, nil: try unit.format(scope: .input, element: Element.output)
            }
        return StreamFormat(sampleRate: format.sampleRate, channels: format.channels)
    }
}
