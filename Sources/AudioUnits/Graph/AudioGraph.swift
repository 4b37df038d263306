import Realtime

/// Units connected to each other, pulled by the last one: hardware (`RemoteIO`, `VoiceProcessingIO`) or the application
/// (`GenericOutput`).
///
/// Order: make the units and set them up, `connect` them, `initialize()`, `start()`. The graph initializes its units, each
/// after those that feed it; a connected input takes its format from there. Connections may change at any time. While it
/// renders, what was heard of an old source fades out over 5 ms, all changes then happen between two slices, and new
/// sources fade in; nothing else is disturbed. All calls from any thread but a render thread.
public final class AudioGraph: Sendable {
    private struct Control {
        var state = UnitState.uninitialized
        var model: GraphModel
        var maximumSlice = 1024
        var render: GraphRender?
        var rootFormat = StreamFormat(sampleRate: 48_000)
        var built: [Int: SlotBuilder.Built] = [:]
        /// Sources built so far, which numbers them.
        var builds = 0
    }

    private let control: Lock<Control>
    private let output: GraphOutput
    private let meters = UnitMetersBox()

    /// A graph that hardware pulls.
    public init(output unit: any InputOutputUnit) {
        output = .hardware(unit)
        control = Lock(Control(model: GraphModel(output: ObjectIdentifier(unit))))
    }

    /// A graph that the application pulls by `GenericOutput.render`.
    public init(output unit: GenericOutput) {
        output = .application(unit)
        control = Lock(Control(model: GraphModel(output: ObjectIdentifier(unit))))
    }

    deinit { dispose() }

    public var state: UnitState { control.withLock { $0.state } }

    /// Sets the most frames a unit of the graph renders at once, 1 ... 65,536, 1024 by default; before `initialize()`. An
    /// output that asks for more gets it in parts.
    public func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError) {
        guard (1...65_536).contains(frames) else {
            throw .outOfRange(setting: "maximum frames per slice", allowed: "1 to 65536")
        }
        try control.withLock { control throws(AudioUnitError) in
            switch control.state {
            case .disposed: throw .disposed
            case .initialized, .running: throw .initialized(setting: "maximum frames per slice")
            case .uninitialized: control.maximumSlice = frames
            }
        }
    }

    /// Makes several changes that take effect between the same two slices, or if one is refused none.
    ///
    /// `body` must not call the graph.
    public func change(_ body: (inout GraphChanges) throws(AudioUnitError) -> Void) throws(AudioUnitError) {
        try control.withLock { (control, leaving) throws(AudioUnitError) in
            guard control.state != .disposed else { throw .disposed }
            let old = control.model
            var changes = GraphChanges(
                model: old, graph: ObjectIdentifier(self), microphone: output.unit as? any CoreUnit, leaving: leaving)
            leaving.take(old)
            do throws(AudioUnitError) {
                try body(&changes)
                control.model = changes.model
                if control.state != .uninitialized { try publish(&control, leaving) }
            } catch {
                control.model = old
                leaving.take(changes.model)
                letGo(of: changes.model.units, but: old.units, leaving)
                throw error
            }
            letGo(of: old.units, but: control.model.units, leaving)
        }
    }

    /// Whether every change has reached the render thread. Asking also lets go of what was taken out and is not heard any more;
    /// without that it lives until the next change.
    public var isSettled: Bool {
        control.withLock { control, leaving in
            leaving.take(control.render?.takeUnused())
            return control.render?.isSettled ?? true
        }
    }

    /// Initializes the units, those that feed others first, then the output, which nobody else may have initialized.
    public func initialize() throws(AudioUnitError) {
        try control.withLock { (control, leaving) throws(AudioUnitError) in
            switch control.state {
            case .disposed: throw .disposed
            case .initialized, .running: throw .initialized(setting: "initialize")
            case .uninitialized: break
            }
            if let missing = control.model.missingSource() {
                throw .notConnected(unit: "\((missing.unit ?? output.unit).component)", element: missing.element)
            }
            switch output.unit.state {
            case .disposed: throw .disposed
            case .initialized, .running: throw .initialized(setting: "the graph's output")
            case .uninitialized: break
            }
            do throws(AudioUnitError) {
                try control.model.prepareUnits(maximumFrames: control.maximumSlice, leaving)
                control.rootFormat = try control.model.outputFormat(of: output.unit)
                try output.unit.setFormat(control.rootFormat, scope: .input, element: Element.output)
                let render = GraphRender(format: control.rootFormat, meters: meters)
                try output.setRenderCallback(render.callback)
                control.render = render
                try publish(&control, leaving)
                try output.unit.initialize()
            } catch {
                tearDown(&control, leaving)
                throw error
            }
            control.state = .initialized
        }
    }

    /// Starts the hardware; an output that the application pulls needs no start.
    public func start() throws(AudioUnitError) {
        try control.withLock { control throws(AudioUnitError) in
            switch control.state {
            case .disposed: throw .disposed
            case .uninitialized: throw .notInitialized
            // An interruption may have stopped the unit.
            case .running, .initialized: break
            }
            // Somebody has taken the output over.
            guard hasOutput(control.render) else { throw .notInitialized }
            try output.start()
            if case .hardware = output { control.state = .running }
        }
    }

    /// Stops the hardware; when it returns nothing renders any more. May be repeated.
    public func stop() {
        control.withLock { control in
            guard control.state == .running else { return }
            if hasOutput(control.render) { output.stop() }
            control.state = .initialized
        }
    }

    /// Stops, and uninitializes output and units; connections stay.
    public func uninitialize() {
        control.withLock { control, leaving in
            guard control.state == .initialized || control.state == .running else { return }
            tearDown(&control, leaving)
            control.state = .uninitialized
        }
    }

    /// Ends the graph and gives its units free, uninitialized. May be repeated.
    public func dispose() {
        uninitialize()
        control.withLock { control, leaving in
            leaving.take(control.model)
            letGo(of: control.model.units, but: [:], leaving)
            control.model = GraphModel(output: ObjectIdentifier(output.unit))
            control.state = .disposed
        }
    }

    // MARK: under the lock

    /// Hands the connections as they are now to the render thread.
    private func publish(_ control: inout Control, _ leaving: Leaving) throws(AudioUnitError) {
        guard let render = control.render else { return }
        try control.model.prepareUnits(maximumFrames: control.maximumSlice, leaving)
        var built: [Int: SlotBuilder.Built] = [:]
        var entries: [GraphPlan.Entry] = []
        func enter(
            _ slot: UnsafeMutablePointer<InputSlot>, _ input: GraphModel.Input, channels: Int, _ builder: SlotBuilder
        ) throws(AudioUnitError) {
            var source = SlotSource()
            source.channels = channels
            if let connection = control.model.connections[input] {
                var one = control.built[connection.identifier]
                // A unit that was initialized anew has another node.
                if case .unit(let unit) = connection.origin, one?.node !== unit.node { one = nil }
                // One that asks may have been set to another format meanwhile.
                if one?.consumer !== builder.consumer { one = nil }
                if one == nil {
                    control.builds += 1
                    one = try builder.build(connection, identifier: control.builds)
                }
                built[connection.identifier] = one
                if let one { source = one.source }
            }
            entries.append(GraphPlan.Entry(slot: slot, source: source))
        }
        var nodes: [RenderNode] = []
        for unit in control.model.sourcesFirst {
            guard let node = unit.node else { throw .notInitialized }
            nodes.append(node)
            let output = node.layout.output
            for (element, format) in node.layout.inputs.enumerated() {
                let builder = SlotBuilder(
                    consumer: node, inputFormat: try unit.format(scope: .input, element: element),
                    kernelFormat: { unit.shape.kernelFormat(of: $0, output: output) },
                    maximumFrames: node.layout.maximumFrames, quality: unit.conversionQuality)
                try enter(
                    node.slots + element, GraphModel.Input(unit: ObjectIdentifier(unit), element: element),
                    channels: format.channels, builder)
            }
        }
        let rootFormat = control.rootFormat
        let builder = SlotBuilder(
            consumer: nil, inputFormat: rootFormat, kernelFormat: { _ in rootFormat },
            maximumFrames: control.maximumSlice, quality: 5)
        try enter(
            render.rootSlot, GraphModel.Input(unit: control.model.output, element: 0), channels: rootFormat.channels,
            builder)
        // The plan before keeps what these are made of.
        control.built = built
        leaving.take(render.publish(entries, retaining: nodes + built.values.flatMap(\.owners)))
    }

    /// Whether the output is this graph's: it took it, and nobody has taken it over since.
    private func hasOutput(_ render: GraphRender?) -> Bool { render.map { output.has($0.callback) } ?? false }

    private func tearDown(_ control: inout Control, _ leaving: Leaving) {
        if hasOutput(control.render) {
            output.stop()
            output.unit.uninitialize()
            try? output.setRenderCallback(nil)
        }
        leaving.take(control.render)
        control.render = nil
        control.built = [:]
        for unit in control.model.units.values {
            leaving.take(unit.node)
            unit.uninitialize()
        }
    }

    /// Uninitializes and frees the units that are in `units` and not in `kept`.
    private func letGo(
        of units: [ObjectIdentifier: ProcessingUnit], but kept: [ObjectIdentifier: ProcessingUnit], _ leaving: Leaving
    ) {
        for (name, unit) in units where kept[name] == nil {
            leaving.take(unit.node)
            unit.uninitialize()
            unit.release(ObjectIdentifier(self))
        }
    }
}
