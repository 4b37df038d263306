/// Settles a connection: what the slot asks, in which format, and what converts.
struct SlotBuilder {
    /// A slot's source with what has to live as long as it.
    struct Built {
        let source: SlotSource
        let owners: [AnyObject]
        /// Of the unit that is the source; `nil`: another source.
        let node: RenderNode?
        /// Of the unit that asks; `nil`: the output.
        let consumer: RenderNode?
    }

    /// The unit that asks; `nil`: the output.
    let consumer: RenderNode?
    /// Formats of the consumer: what was set on the input, and what its kernel sees of a source's format.
    let inputFormat: StreamFormat
    let kernelFormat: (StreamFormat) -> StreamFormat
    let maximumFrames: Int
    let quality: Int

    /// `identifier` is another one for each source built, so that a slot takes it for a change.
    func build(_ connection: GraphModel.Connection, identifier: Int) throws(AudioUnitError) -> Built {
        var source = SlotSource()
        var owners: [AnyObject] = []
        var sourceNode: RenderNode?
        source.identifier = identifier
        switch connection.origin {
        case .callback(let callback, let format):
            source.function = callback.function
            source.context = callback.context
            source.isApplication = true
            source.format = format ?? inputFormat
            source.maximumFrames = maximumFrames
            if let owner = callback.owner { owners.append(owner) }
        case .microphone(let unit):
            let callback = unit.core.inputLine.callback
            (source.function, source.context) = (callback.function, callback.context)
            source.element = Element.input
            source.format = InputLine.sourceFormat(try unit.format(scope: .output, element: Element.input))
            source.maximumFrames = maximumFrames
            if let owner = callback.owner { owners.append(owner) }
        case .unit(let unit):
            guard let node = unit.node else { throw .notInitialized }
            (source.function, source.context) = node.callback
            source.format = node.layout.output
            source.maximumFrames = node.layout.maximumFrames
            owners.append(node)
            sourceNode = node
        }
        let kernel = kernelFormat(source.format)
        source.channels = kernel.channels
        let isSame = source.format.sampleRate == kernel.sampleRate && source.format.channels == kernel.channels
        let isPlain = source.format.sampleType.isFloat && (!source.format.interleaved || source.format.channels == 1)
        if !isSame || !isPlain {
            let box = SlotConverterBox(
                try SlotConverter(
                    from: source.format, channels: kernel.channels, sampleRate: kernel.sampleRate,
                    maximumAsk: source.maximumFrames, maximumFrames: maximumFrames, quality: quality))
            source.converter = box.place
            owners.append(box)
        }
        return Built(source: source, owners: owners, node: sourceNode, consumer: consumer)
    }
}
