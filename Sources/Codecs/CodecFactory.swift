/// Builds an encoder.
/// - Parameter sampleRate: samples per second, L16 only (8 000 ... 48 000); nil is the codec's own rate.
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
    case .opus: try OpusEncoder(settings: settings)
    case .pcmu: G711Encoder(.mu, frameLength: frameLength)
    case .pcma: G711Encoder(.a, frameLength: frameLength)
    case .l16: L16Encoder(sampleRate: rate, frameLength: frameLength)
    }
}

/// Builds a decoder.
/// - Parameter sampleRate: samples per second, L16 only (8 000 ... 48 000); nil is the codec's own rate.
/// - Throws: `invalidSetting`, `library` when libopus cannot start.
public func makeDecoder(_ kind: CodecKind, sampleRate: Int? = nil) throws(CodecError) -> any AudioDecoder {
    let rate = try checkedRate(kind, sampleRate)
    return switch kind {
    case .opus: try OpusDecoder()
    case .pcmu: G711Decoder(.mu)
    case .pcma: G711Decoder(.a)
    case .l16: L16Decoder(sampleRate: rate)
    }
}

private func checkedRate(_ kind: CodecKind, _ requested: Int?) throws(CodecError) -> Int {
    guard let requested, requested != kind.sampleRate else { return kind.sampleRate }
    guard kind == .l16 else {
        throw .invalidSetting("\(kind.encodingName) runs at \(kind.sampleRate) Hz only, not at \(requested)")
    }
    // Multiples of 100 Hz keep every 10 ms frame a whole number of samples.
    guard (8_000...48_000).contains(requested), requested % 100 == 0 else {
        throw .invalidSetting("L16 runs at 8000 to 48000 Hz in steps of 100, not at \(requested)")
    }
    return requested
}
