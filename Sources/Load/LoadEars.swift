import Codecs
import Softphone

/// Finds out what was heard in the calls of a load, call by call and in the order in which it is told, and adds up what all of them
/// measured.
struct LoadEars {
    private let plan: LoadPlan
    private let speeches: [LoadSpeech]
    /// For each codec.
    private var finders: [EchoFinder]
    private var ears: [Int: EchoEar] = [:]
    private var samples: [Float]
    /// Runners that still make calls.
    private var runners: Int
    var results: LoadResults
    /// Processor time of the runners, milliseconds.
    private(set) var processorMilliseconds = 0.0

    /// - Parameters:
    ///   - speeches: what calls say, in each codec of the mix.
    ///   - runners: those who tell something.
    init(_ plan: LoadPlan, _ speeches: [LoadSpeech], runners: Int) throws(SoftphoneError) {
        (self.plan, self.speeches, self.runners) = (plan, speeches, runners)
        let decoders: [any AudioDecoder]
        do throws(CodecError) {
            decoders = try plan.mix.codecs.map { codec throws(CodecError) in try makeDecoder(codec) }
        } catch {
            throw .codec(error)
        }
        samples = [Float](repeating: 0, count: decoders.map { $0.maximumFrames * max(1, $0.channels) }.max() ?? 0)
        finders = speeches.map { EchoFinder(rate: $0.referenceRate) }
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
            let report = LoadCallReport(call, ears.removeValue(forKey: call.number))
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
        let kind = plan.codecIndex(ofCall: number)
        guard var ear = ears.removeValue(forKey: number) ?? newEar(number, kind) else { return }
        var room: [Float] = []
        swap(&room, &samples)
        room.withUnsafeMutableBufferPointer {
            ear.listen(to: stretch, speech: speeches[kind], samples: $0, finder: &finders[kind]) { results.delays.add($0) }
        }
        swap(&room, &samples)
        ears[number] = ear
    }

    private func newEar(_ number: Int, _ kind: Int) -> EchoEar? {
        (try? makeDecoder(plan.mix.codecs[kind])).map {
            EchoEar(decoder: $0, firstPacket: speeches[kind].firstPacket(ofCall: number))
        }
    }
}
