/// What is fixed about a kind of unit: how many inputs it has, and how their formats and the output's hang together.
public struct UnitShape: Sendable {
    /// How channels and rates pass through.
    public enum Formats: Sendable, Equatable {
        /// One format throughout: the output hands on what the input has.
        case effect
        /// The output's rate and channels are set, and the input is converted to them before the kernel sees it.
        case convertsToOutput
        /// The output is set; each input keeps its own channels, up to so many, at the output's rate.
        case mixes(inputChannels: Int)
        /// The output is set; there is no input.
        case source
    }

    /// The component.
    public var component: AudioComponentDescription
    /// How many input elements there may be; the least of them is what a unit starts with.
    public var inputElements: ClosedRange<Int>
    /// How formats pass.
    public var formats: Formats
    /// Channels the output may have, within 1 ... 8.
    public var outputChannels: ClosedRange<Int>
    /// Channels of all formats to begin with, at 48,000 Hz.
    public var defaultChannels: Int
    /// Whether the kernel fills other sample types and layouts than runs of Float32.
    public var fillsAnyType: Bool

    public init(
        component: AudioComponentDescription, inputElements: ClosedRange<Int> = 1...1, formats: Formats = .effect,
        outputChannels: ClosedRange<Int> = StreamFormat.channelCounts, defaultChannels: Int = 1,
        fillsAnyType: Bool = false
    ) {
        self.component = component
        self.inputElements = inputElements
        self.formats = formats
        self.outputChannels = outputChannels
        self.defaultChannels = defaultChannels
        self.fillsAnyType = fillsAnyType
    }

    /// Whether rendering without a source makes no sense.
    var needsInput: Bool {
        switch formats {
        case .effect, .convertsToOutput: true
        case .mixes, .source: false
        }
    }

    /// What the kernel sees of an input whose source has `format`.
    func kernelFormat(of format: StreamFormat, output: StreamFormat) -> StreamFormat {
        switch formats {
        case .effect, .convertsToOutput, .source:
            StreamFormat(sampleRate: output.sampleRate, channels: output.channels)
        case .mixes(let most):
            StreamFormat(sampleRate: output.sampleRate, channels: min(format.channels, most))
        }
    }
}
