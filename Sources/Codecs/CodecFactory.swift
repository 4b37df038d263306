/// Builds an encoder.
/// - `sampleRate`: samples per second, a choice with L16 (8 000 ... 48 000) and Opus (8 000, 12 000, 16 000,
///   24 000, 48 000); nil is the codec's own rate.
/// - Throws: `invalidSetting` with a sentence that names the setting, `library` when libopus cannot start.
public func makeEncoder(
    _ kind: CodecKind, settings: EncoderSettings = EncoderSettings(), sampleRate: Int? = nil
) throws(CodecError) -> any AudioEncoder {
    let rate = try checkedRate(kind, sampleRate)
    guard kind.sendableFrameMilliseconds.contains(settings.frameMilliseconds) else {
        throw .invalidSetting("\(kind.encodingName) packets of \(settings.frameMilliseconds) ms are not sent; "
            + "choose one of \(kind.sendableFrameMilliseconds)")
    }
    let frameLength = rate * settings.frameMilliseconds / 1000
    return switch kind {
    case .opus: try OpusEncoder(settings: settings, sampleRate: rate)
    case .pcmu: G711Encoder(.mu, frameLength: frameLength)
    case .pcma: G711Encoder(.a, frameLength: frameLength)
    case .l16: L16Encoder(sampleRate: rate, frameLength: frameLength)
    }
}

/// Builds a decoder.
/// - `sampleRate`: as for `makeEncoder`.
/// - Throws: `invalidSetting`, `library` when libopus cannot start.
public func makeDecoder(_ kind: CodecKind, sampleRate: Int? = nil) throws(CodecError) -> any AudioDecoder {
    let rate = try checkedRate(kind, sampleRate)
    return switch kind {
    case .opus: try OpusDecoder(sampleRate: rate)
    case .pcmu: G711Decoder(.mu)
    case .pcma: G711Decoder(.a)
    case .l16: L16Decoder(sampleRate: rate)
    }
}

private func checkedRate(_ kind: CodecKind, _ requested: Int?) throws(CodecError) -> Int {
    guard let requested else { return kind.sampleRate }
    guard kind.runs(at: requested) else {
        let choice =
            switch kind {
            case .opus: "one of \(OpusDecoder.sampleRates)"
            case .l16: "8000 to 48000 in steps of 100"
            case .pcmu, .pcma: "8000"
            }
        throw .invalidSetting("\(kind.encodingName) does not run at \(requested) Hz; choose \(choice)")
    }
    return requested
}
