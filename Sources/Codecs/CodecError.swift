/// What can go wrong in a codec, and what the caller does about it.
public enum CodecError: Error, Equatable, Sendable {
    /// The payload cannot be decoded: count it as a discarded packet and conceal its place.
    case malformedPayload
    /// The output buffer holds fewer bytes (encoder) or samples (decoder) than needed: offer a larger one.
    case outputTooSmall(needed: Int)
    /// The frame does not have the encoder's `frameLength`, or a concealed stretch is no whole number of codec steps:
    /// hand over frames of the length that the codec states.
    case wrongFrameLength(expected: Int)
    /// A setting is outside its range: correct the configuration; nothing was built or changed.
    case invalidSetting(String)
    /// There is no codec of this name: choose one of `Codec.names`.
    case unknownCodec(String)
    /// The codec's library is not there: install what the text names, or choose another codec.
    case unavailable(String)
    /// libopus refused for a reason of its own (its negative error code): report it as an internal error.
    case library(code: Int32)
}

extension CodecError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformedPayload: "the payload is not a valid packet of this codec"
        case .outputTooSmall(let needed): "the output buffer is too small, \(needed) are needed"
        case .wrongFrameLength(let expected): "wrong frame length, \(expected) samples or a multiple are expected"
        case .invalidSetting(let text): text
        case .unknownCodec(let name): "no codec '\(name)'; there are \(Codec.names)"
        case .unavailable(let text): "\(text); install it or choose another codec"
        case .library(let code): "libopus refused with error \(code)"
        }
    }
}
