import Codecs
import Softphone

/// Finds out what was heard in the calls of a load, call by call and in the order in which it is told, and adds up what all of them
/// measured.
struct LoadEars {
    private let codec: Codec
    private let speech: LoadSpeech
    private var finder: EchoFinder
    private var ears: [Int: EchoEar] = [:]
    private var samples: [Float]
    /// Runners that still make calls.
    private var runners: Int
    var results: LoadResults
    /// Processor time of the runners, milliseconds.
    private(set) var processorMilliseconds = 0.0

    /// - Parameters:
    ///   - speech: what all calls say.
    ///   - runners: those who tell something.
    init(_ plan: LoadPlan, _ speech: LoadSpeech, runners: Int) throws(SoftphoneError) {
        (codec, self.speech, self.runners) = (plan.codec, speech, runners)
        let decoder: any AudioDecoder
        do { decoder = try makeDecoder(plan.codec) } catch { throw .codec(error) }
        samples = [Float](repeating: 0, count: decoder.maximumFrames * max(1, decoder.channels))
        finder = EchoFinder(rate: speech.referenceRate)
        results = LoadResults(calls: plan.calls)
    }

    /// Whether everything was told.
    var isOver: Bool { runners == 0 }

    /// Takes what a runner tells.
    /// - Returns: the report of a call that is over.
    mutating func take(_ news: LoadNews) -> LoadCallReport? {
        switch news {
        case .heard(let number, let stretch):
            listen(number, stretch)
        case .over(let call):
            let report = LoadCallReport(call, codec, ears.removeValue(forKey: call.number))
            results.add(report)
            return report
        case .end(let figures):
            results.add(figures)
            processorMilliseconds += figures.processorMilliseconds
            runners -= 1
        }
        return nil
    }

    private mutating func listen(_ number: Int, _ stretch: HeardStretch) {
        guard var ear = ears.removeValue(forKey: number) ?? newEar(number) else { return }
        samples.withUnsafeMutableBufferPointer {
            ear.listen(to: stretch, speech: speech, samples: $0, finder: &finder) { results.delays.add($0) }
        }
        ears[number] = ear
    }

    private func newEar(_ number: Int) -> EchoEar? {
        (try? makeDecoder(codec)).map { EchoEar(decoder: $0, firstPacket: speech.firstPacket(ofCall: number)) }
    }
}
