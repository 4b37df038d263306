/// Recordings that begin and end while the session runs; for the thread that owns it.
extension CallSession {
    /// Records from now on, beside whatever the session has recorded since its start: left what is sent, right what is heard; in a
    /// bridge right what all say.
    /// - Throws: `recording` where the file cannot be made, `state` where another recording runs.
    public func startRecording(path: String) throws(CallError) {
        guard recording == nil else { throw .state("all who hear each other are being recorded already; end that first") }
        let running = try RunningRecording(path: path, sampleRate: sampleRate)
        recording = running
        warnings.add(running.health)
        running.begin(in: recorderSlot)
    }

    /// Ends that recording; its file is whole when this returns.
    /// - Returns: why it ended before its time, which `takeFileWarnings` tells too; `nil`: it did not, or there was none.
    @discardableResult
    public func stopRecording() -> String? {
        guard let running = recording else { return nil }
        recording = nil
        running.end(in: recorderSlot)
        warnings.close(running.health)
        return running.health.failureReason
    }
}
