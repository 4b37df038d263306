import Media

/// Records a call: stereo WAV, left what was sent, right what was heard.
///
/// Fed by the media thread, written elsewhere (`SignalWriter`), so that a slow disk costs samples of the recording and
/// never a sample of the call.
public final class Recorder: MediaTap {
    let writer: SignalWriter
    private let sent: SignalChannel
    private let heard: SignalChannel

    /// Creates the file at `path`; an existing file is replaced.
    public init(path: String, sampleRate: Int) throws(CallError) {
        let (writer, channels) = try SignalWriter.open(path: path, sampleRate: sampleRate, channels: 2)
        self.writer = writer
        sent = channels[0]
        heard = channels[1]
    }

    public func add(sent block: [Float]) { sent.add(block) }
    public func add(heard block: [Float]) { heard.add(block) }
}
