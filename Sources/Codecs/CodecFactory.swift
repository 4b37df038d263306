/// Builds an encoder.
/// - `sampleRate`: samples per second, one of the codec's `sampleRates`; nil is the codec's own rate.
/// - Throws: `invalidSetting` with a sentence that names the setting, `unavailable` when the codec's library is missing,
///   `library` when it cannot start.
public func makeEncoder(
    _ codec: Codec, settings: EncoderSettings = EncoderSettings(), sampleRate: Int? = nil
) throws(CodecError) -> any AudioEncoder {
    let rate = try checkedRate(codec, sampleRate)
    guard codec.sendableFrameMilliseconds.contains(settings.frameMilliseconds) else {
        throw .invalidSetting(
            "\(codec.encodingName) packets of \(settings.frameMilliseconds) ms are not sent; "
                + "choose one of \(codec.sendableFrameMilliseconds)")
    }
    return try codec.encoder(settings, rate)
}

/// Builds a decoder.
/// - `sampleRate`: as for `makeEncoder`.
/// - Throws: `invalidSetting`, `unavailable`, `library`.
public func makeDecoder(_ codec: Codec, sampleRate: Int? = nil) throws(CodecError) -> any AudioDecoder {
    try codec.decoder(try checkedRate(codec, sampleRate))
}

private func checkedRate(_ codec: Codec, _ requested: Int?) throws(CodecError) -> Int {
    guard let requested else { return codec.sampleRate }
    guard codec.runs(at: requested) else {
        throw .invalidSetting(
            "\(codec.encodingName) does not run at \(requested) Hz; choose \(codec.sampleRates)")
    }
    return requested
}
