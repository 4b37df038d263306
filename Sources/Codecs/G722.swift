import CSpanDSP
import DSP

extension Codec {
    /// ITU-T G.722 at 64 kbit/s: 16 kHz sound on an 8 kHz RTP clock, by an error of RFC 1890 that RFC 3551 section 4.5.2
    /// keeps. G.113 has constants for it on the wideband scale only.
    public static let g722 = Codec(
        name: "g722", encodingName: "G722", clock: .fixed(8_000), sampleRate: 16_000, payloadType: .static(9),
        // The filter banks of both ends delay by 22 samples.
        bitrate: .bitsPerSample(4), lookaheadMilliseconds: 1.375, impairment: nil,
        encoder: { (settings, rate) throws(CodecError) in
            try G722Encoder(frameLength: rate / 1000 * settings.frameMilliseconds)
        },
        decoder: { (_) throws(CodecError) in try G722Decoder() })
}

/// libspandsp's G.722, loaded once.
///
/// Sendable: function pointers that never change once they are set.
private struct G722Library: @unchecked Sendable {
    let functions: cspandsp_library

    static func load() throws(CodecError) -> cspandsp_library {
        switch shared {
        case .loaded(let library): return library.functions
        case .missing(let reason): throw .unavailable("G.722: \(reason)")
        }
    }

    private enum Outcome: Sendable {
        case loaded(G722Library)
        case missing(String)
    }

    private static let shared: Outcome = {
        var functions = cspandsp_library()
        if let missing = cspandsp_load(&functions) { return .missing(String(cString: missing)) }
        return .loaded(G722Library(functions: functions))
    }()
}

/// G.722 at 64 kbit/s from mono samples at 16 kHz.
public final class G722Encoder: AudioEncoder {
    public let sampleRate = 16_000
    public let frameLength: Int
    /// The delay of the quadrature mirror filters of both ends.
    public let lookaheadSamples = 22
    public var maximumPayloadBytes: Int { frameLength / 2 }
    /// Each codes what its own prediction left over, so that two never meet.
    public var forgets: Bool { false }

    private let library: cspandsp_library
    private let state: UnsafeMutablePointer<cspandsp_g722_encoder>
    private var linear: [Int16]

    /// - Parameter frameLength: samples a packet, an even number.
    /// - Throws: `unavailable` when libspandsp is not installed.
    public init(frameLength: Int) throws(CodecError) {
        guard frameLength > 0, frameLength % 2 == 0 else {
            throw .invalidSetting("G.722 codes pairs of samples, not \(frameLength)")
        }
        library = try G722Library.load()
        self.frameLength = frameLength
        linear = [Int16](repeating: 0, count: frameLength)
        state = .allocate(capacity: 1)
        state.initialize(to: cspandsp_g722_encoder())
        _ = library.encode_init(state, 64_000, 0)
    }

    deinit { state.deallocate() }

    public func encode(
        _ frame: UnsafeBufferPointer<Float>, into payload: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard frame.count == frameLength else { throw .wrongFrameLength(expected: frameLength) }
        guard payload.count >= maximumPayloadBytes, let bytes = payload.baseAddress else {
            throw .outputTooSmall(needed: maximumPayloadBytes)
        }
        for index in 0..<frameLength { linear[index] = SampleConversion.toInt16(frame[index]) }
        return Int(library.encode(state, bytes.assumingMemoryBound(to: UInt8.self), linear, Int32(frameLength)))
    }

    public func goOn(from other: any AudioEncoder) -> Bool {
        guard let other = other as? G722Encoder else { return false }
        state.pointee = other.state.pointee
        return true
    }
}

/// G.722 at 64 kbit/s to mono samples at 16 kHz; any length up to 200 ms. Every byte is a valid code. The codec has no
/// concealment of its own, but a state that decoding changes.
///
/// libspandsp decodes the two bands. Joining them is done here: its 0.0.6 lets sums beyond full scale wrap around, which is
/// a loud crackle, where the recommendation limits them.
public final class G722Decoder: AudioDecoder {
    public let sampleRate = 16_000
    public let maximumFrames = 3_200

    private struct State {
        var bands = cspandsp_g722_decoder()
        var filter = G722ReceiveFilter()
    }

    private let library: cspandsp_library
    private let states: UnsafeMutablePointer<State>
    private var active = 0
    private var bands: [Int16]

    /// - Throws: `unavailable` when libspandsp is not installed.
    public init() throws(CodecError) {
        library = try G722Library.load()
        bands = [Int16](repeating: 0, count: maximumFrames)
        states = .allocate(capacity: 2)
        states.initialize(repeating: State(), count: 2)
        reset()
        keepState()
    }

    deinit { states.deallocate() }

    public func duration(of payload: UnsafeRawBufferPointer) -> Int? {
        (1...maximumFrames / 2).contains(payload.count) ? 2 * payload.count : nil
    }

    public func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard let frames = duration(of: payload), let bytes = payload.baseAddress else { throw .malformedPayload }
        guard samples.count >= frames else { throw .outputTooSmall(needed: frames) }
        let state = states + active
        _ = library.decode(&state.pointee.bands, &bands, bytes.assumingMemoryBound(to: UInt8.self), Int32(payload.count))
        for pair in 0..<payload.count {
            // The test mode's bands are doubled.
            let (first, second) = state.pointee.filter.join(
                low: Int32(bands[2 * pair]) >> 1, high: Int32(bands[2 * pair + 1]) >> 1)
            samples[2 * pair] = SampleConversion.toFloat(first)
            samples[2 * pair + 1] = SampleConversion.toFloat(second)
        }
        return frames
    }

    public func keepState() { states[1 - active] = states[active] }
    public func exchangeState() { active = 1 - active }

    public func reset() {
        _ = library.decode_init(&states[active].bands, 64_000, 0)
        // It hands out the bands instead of joining them.
        states[active].bands.itu_test_mode = 1
        states[active].filter = G722ReceiveFilter()
    }
}

/// The receive quadrature mirror filter (ITU-T G.722 sections 4.4 and 5.2.2): from both bands at 8 kHz to 16 kHz.
struct G722ReceiveFilter {
    /// Every other one of the 24 coefficients of table 11, which are symmetric, times 2^13.
    private static let coefficients: InlineArray<12, Int32> = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11]

    /// Sums and differences of the bands, a ring whose newest place is `newest`.
    private var sums = InlineArray<12, Int32>(repeating: 0)
    private var differences = InlineArray<12, Int32>(repeating: 0)
    private var newest = 0

    /// The next two samples, limited to 16 bits.
    mutating func join(low: Int32, high: Int32) -> (Int16, Int16) {
        newest = newest == 11 ? 0 : newest + 1
        sums[newest] = low + high
        differences[newest] = low - high
        var first: Int32 = 0
        var second: Int32 = 0
        var place = newest
        for age in 0..<12 {
            first += differences[place] * Self.coefficients[age]
            second += sums[place] * Self.coefficients[11 - age]
            place = place == 0 ? 11 : place - 1
        }
        return (Int16(clamping: first >> 11), Int16(clamping: second >> 11))
    }
}
