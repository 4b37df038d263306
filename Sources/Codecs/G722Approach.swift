import CSpanDSP

/// Leads a G.722 encoder to where another one is, frame by frame, so that nobody hears it.
///
/// Two encoders that hear the same do not meet by themselves: each foretells the next sample from what it has coded so far, and
/// codes what it did not foretell. From other foretelling follow other codes, and from these other foretelling, without an end.
/// A decoder that is handed from one to the other is as far off as they are apart, and makes noise for 100 ms until it has followed.
///
/// But a decoder forgets by itself where it was: of two that get the same codes the difference shrinks with each. So a frame is
/// said by the other one's codes where that sounds about as good as by the own; else single codes are, each band for itself, where
/// they are about as good. The nearer both are, the more often that is so: in silence and noise they meet within half a second, in
/// a voice that never pauses in about one. In a steady tone they do not.
struct G722Approach {
    /// Octets over which noise is compared: 5 ms.
    private static let window = 40
    /// A frame of the other one's codes may have so much more noise, as a ratio of powers: 3 dB.
    private static let frameRatio: Float = 2
    /// Mean square of the noise that is not heard in a frame, whatever its sound: -72 dBov.
    private static let inaudible: Float = 64
    /// Square of an error that is not heard in a single code: two steps of 16 bits.
    private static let inaudibleError: Float = 4
    /// Weight of a sample in the power of the coding's noise, which the error of a single code may have: 6 ms.
    private static let weight: Float = 0.02
    /// Of so many of the other one's codes in a row, half a second, no difference is left that could be measured.
    private static let enough = 4000

    private let library: cspandsp_library
    /// Decoders of the bands: what whoever hears the encoder makes of an octet, and of another one.
    private var first = cspandsp_g722_decoder()
    private var second = cspandsp_g722_decoder()
    /// Mean square of what coding adds, in both bands.
    private var noise = (low: Float(0), high: Float(0))
    /// Octets in a row that were the other one's.
    private var followed = 0

    init(_ library: cspandsp_library) {
        self.library = library
        _ = library.decode_init(&first, 64_000, 0)
        // It hands out the bands instead of joining them.
        first.itu_test_mode = 1
        second = first
    }

    /// Whether it has said as much by the other one's codes as makes the two the same.
    var isThere: Bool { followed >= Self.enough }

    /// Codes a frame, as near to `theirs` as is not heard, and leaves the encoder where that leads.
    /// - Parameters:
    ///   - samples: two for each octet of `theirs`.
    ///   - theirs: what the other encoder has made of them.
    ///   - state: of the encoder.
    ///   - payload: as long as `theirs`.
    mutating func encode(
        _ samples: UnsafePointer<Int16>, towards theirs: UnsafeRawBufferPointer,
        _ state: UnsafeMutablePointer<cspandsp_g722_encoder>, into payload: UnsafeMutableRawBufferPointer
    ) {
        let before = state.pointee
        if mayFollow(samples, theirs, state) {
            payload.copyMemory(from: theirs)
            state.pointee.band = second.band
            followed += theirs.count
            return
        }
        state.pointee = before
        for index in 0..<theirs.count { payload[index] = octet(samples + 2 * index, towards: theirs[index], state) }
    }

    // MARK: - A frame

    /// Whether the frame sounds about as good by the other one's codes; `second` has heard these then.
    private mutating func mayFollow(
        _ samples: UnsafePointer<Int16>, _ theirs: UnsafeRawBufferPointer,
        _ state: UnsafeMutablePointer<cspandsp_g722_encoder>
    ) -> Bool {
        first.band = state.pointee.band
        second.band = state.pointee.band
        var (own, other) = (Float(0), Float(0))
        var count = 0
        for index in 0..<theirs.count {
            var octet: UInt8 = 0
            _ = library.encode(state, &octet, samples + 2 * index, 2)
            let said = Self.bands(of: state)
            own += said.power(of: Self.heard(octet, by: &first, library))
            other += said.power(of: Self.heard(theirs[index], by: &second, library))
            count += 1
            guard count == Self.window || index == theirs.count - 1 else { continue }
            guard other <= max(Self.frameRatio * own, Self.inaudible * Float(count)) else { return false }
            (own, other, count) = (0, 0, 0)
        }
        return true
    }

    // MARK: - A code

    private mutating func octet(
        _ samples: UnsafePointer<Int16>, towards theirs: UInt8, _ state: UnsafeMutablePointer<cspandsp_g722_encoder>
    ) -> UInt8 {
        let before = state.pointee.band
        var own: UInt8 = 0
        _ = library.encode(state, &own, samples, 2)
        let said = Self.bands(of: state)
        (first.band, second.band) = (before, before)
        let (mine, other) = (Self.heard(own, by: &first, library), Self.heard(theirs, by: &second, library))
        let takesLow = Self.takes(said.low - mine.low, said.low - other.low, &noise.low)
        let takesHigh = Self.takes(said.high - mine.high, said.high - other.high, &noise.high)
        // The upper two bits are the upper band's.
        let octet = (takesLow ? theirs : own) & 0x3f | (takesHigh ? theirs : own) & 0xc0
        if octet != own {
            second.band = before
            _ = Self.heard(octet, by: &second, library)
            state.pointee.band = second.band
        }
        followed = octet == theirs ? followed + 1 : 0
        return octet
    }

    /// Whether the other one's code, whose error is `theirs`, is taken in place of one whose error is `own`.
    private static func takes(_ own: Int32, _ theirs: Int32, _ noise: inout Float) -> Bool {
        let (mine, other) = (Float(own) * Float(own), Float(theirs) * Float(theirs))
        defer { noise += weight * (mine - noise) }
        return other <= max(mine, noise, inaudibleError)
    }

    // MARK: - Bands

    private struct Bands {
        var low: Int32
        var high: Int32

        /// Power of the error in `heard`.
        func power(of heard: Bands) -> Float {
            let (low, high) = (Float(low - heard.low), Float(high - heard.high))
            return low * low + high * high
        }
    }

    /// What a decoder makes of an octet.
    private static func heard(
        _ octet: UInt8, by decoder: inout cspandsp_g722_decoder, _ library: cspandsp_library
    ) -> Bands {
        var code = octet
        var doubled = SIMD2<Int16>.zero
        withUnsafeMutableBytes(of: &doubled) { doubled in
            guard let samples = doubled.baseAddress?.assumingMemoryBound(to: Int16.self) else { return }
            _ = library.decode(&decoder, samples, &code, 1)
        }
        return Bands(low: Int32(doubled.x) >> 1, high: Int32(doubled.y) >> 1)
    }

    /// The bands of the two samples coded last, as the encoder's transmit quadrature mirror filter has parted them (ITU-T G.722
    /// sections 3.1 and 5.2.1).
    private static func bands(of state: UnsafeMutablePointer<cspandsp_g722_encoder>) -> Bands {
        var odd: Int32 = 0
        var even: Int32 = 0
        withUnsafeBytes(of: &state.pointee.x) { older in
            withUnsafeBytes(of: &state.pointee.y) { newer in
                var place = Int(state.pointee.ptr)
                for age in 0..<12 {
                    let coefficients = (G722ReceiveFilter.coefficients[age], G722ReceiveFilter.coefficients[11 - age])
                    odd += Int32(older.load(fromByteOffset: 2 * place, as: Int16.self)) * coefficients.0
                    even += Int32(newer.load(fromByteOffset: 2 * place, as: Int16.self)) * coefficients.1
                    place = place == 11 ? 0 : place + 1
                }
            }
        }
        return Bands(low: (even + odd) >> 14, high: (even - odd) >> 14)
    }
}
