import Codecs
import Glibc
import Link
import Media
import Network
import RTP
import Realtime
import Softphone

/// Makes the calls of a load, on the thread that steps it: a clock of a millisecond, a port a call.
struct LoadRunner {
    /// How often the calls' turns are looked at, in milliseconds.
    private static let turnMilliseconds = 1.0
    /// What still comes after the goodbye is taken for so long, in milliseconds.
    private static let lingerMilliseconds = 600.0
    /// Between two reports of a call, in milliseconds; the first comes sooner, so that the other side knows where reports go.
    private static let reportMilliseconds = 5000.0
    private static let firstReportPackets = 10
    /// A gap is put down to the load itself when it was that late within that time, both in milliseconds.
    private static let excuseLateness = 20.0
    private static let excuseMilliseconds = 300.0

    private struct Running {
        var call: LoadCall
        let decoder: any AudioDecoder
        let began: HostTime
        var nextReport: HostTime?
        /// When the goodbye was said.
        var endedAt: HostTime?
    }

    private let plan: LoadPlan
    private let speech: LoadSpeech
    private let pool: UDPSocketPool
    private var wheel: TickWheel
    private var finder: EchoFinder
    private var random: SplitMix64
    private var running: [Int: Running] = [:]
    private var samples: [Float]
    private var packet = [UInt8](repeating: 0, count: PacketLimits.datagramBytes)
    private var begun = 0
    private var start: HostTime
    private var lastLate: HostTime?
    private var nextSweep = HostTime.zero
    private var isEnding = false
    private(set) var results: LoadResults

    init(_ plan: LoadPlan) throws(SoftphoneError) {
        self.plan = plan
        speech = try LoadSpeech(plan.codec, plan.settings, path: plan.speechPath, seed: plan.seed)
        do { pool = try UDPSocketPool() } catch { throw .network(error) }
        let decoder: any AudioDecoder
        do { decoder = try makeDecoder(plan.codec) } catch { throw .codec(error) }
        samples = [Float](repeating: 0, count: decoder.maximumFrames * max(1, decoder.channels))
        finder = EchoFinder(rate: speech.referenceRate)
        random = SplitMix64(seed: plan.seed)
        start = .monotonicNow()
        wheel = TickWheel(start: start, slotMilliseconds: Self.turnMilliseconds)
        results = LoadResults(calls: plan.calls)
    }

    /// Whether every call was made and is over.
    var isOver: Bool { running.isEmpty && (begun == plan.calls || isEnding) }
    /// Calls that run now.
    var active: Int { running.count }

    /// Says goodbye in all calls, and makes no more.
    mutating func end() {
        isEnding = true
        let now = HostTime.monotonicNow()
        for number in running.keys { hangUp(number, now: now) }
    }

    /// Goes on for `milliseconds`.
    /// - Returns: calls that have ended, as they went.
    mutating func run(milliseconds: Double) -> [LoadCallReport] {
        let until = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
        var reports: [LoadCallReport] = []
        while HostTime.monotonicNow() < until, !isOver {
            wheel.nextTurn.sleepUntil()
            beginCalls()
            receive()
            while let due = wheel.advance(to: .monotonicNow()) {
                for number in wheel.due { send(number, due: due) }
            }
            let now = HostTime.monotonicNow()
            if now >= nextSweep {
                nextSweep = now.advanced(byMilliseconds: 50)
                reports += sweep(now)
            }
        }
        return reports
    }

    // MARK: - Calls

    private mutating func beginCalls() {
        let now = HostTime.monotonicNow()
        while !isEnding, begun < plan.calls,
            now.milliseconds(since: start) >= Double(begun) * 1000 / plan.rate
        {
            let number = begun
            begun += 1
            do {
                let local = try pool.open(number, towards: plan.remote, bind: plan.bind)
                let call = LoadCall(
                    number: number, local: local, payloadType: plan.payloadType,
                    clockRate: plan.codec.rtpClockRate(), firstPacket: number * 37 % speech.packets, random: &random)
                running[number] = Running(call: call, decoder: try makeDecoder(plan.codec), began: now)
                wheel.add(number, everyMilliseconds: speech.packetMilliseconds)
            } catch {
                results.noteFailure("\(error)")
            }
        }
    }

    private mutating func send(_ number: Int, due: HostTime) {
        guard var one = running[number], one.endedAt == nil else { return }
        // Not copied while it is changed.
        running[number] = nil
        defer { running[number] = one }
        let (remote, speech, pool) = (plan.remote, speech, pool)
        packet.withUnsafeMutableBytes { buffer in
            let length = one.call.write(speech, into: buffer)
            _ = pool.send(UnsafeRawBufferPointer(rebasing: buffer[..<length]), from: number, to: remote)
        }
        let now = HostTime.monotonicNow()
        one.call.noteSent(at: now)
        let late = now.milliseconds(since: due)
        results.lateness.add(late)
        if late >= Self.excuseLateness { lastLate = now }
        if one.nextReport.map({ now >= $0 }) ?? (one.call.packetsSent >= Self.firstReportPackets) {
            one.nextReport = now.advanced(byMilliseconds: Self.reportMilliseconds)
            report(one.call, isLast: false)
        }
    }

    private func report(_ call: LoadCall, isLast: Bool) {
        call.report(isLast: isLast, ntp: .now()).withUnsafeBytes {
            _ = pool.send($0, from: call.number, to: plan.control)
        }
    }

    private mutating func hangUp(_ number: Int, now: HostTime) {
        guard let call = running[number], call.endedAt == nil else { return }
        report(call.call, isLast: true)
        running[number]?.endedAt = now
        wheel.remove(number)
    }

    private mutating func sweep(_ now: HostTime) -> [LoadCallReport] {
        var reports: [LoadCallReport] = []
        for (number, one) in running {
            if let endedAt = one.endedAt {
                guard now.milliseconds(since: endedAt) >= Self.lingerMilliseconds else { continue }
                let report = LoadCallReport(one.call)
                results.add(report)
                reports.append(report)
                running[number] = nil
                pool.close(number)
            } else if now.milliseconds(since: one.began) >= plan.holdSeconds * 1000 || one.call.endedByPeer != nil {
                hangUp(number, now: now)
            }
        }
        return reports
    }

    // MARK: - Hearing

    private mutating func receive() {
        let (speech, remote, payloadType) = (speech, plan.remote, plan.payloadType)
        pool.receive(waitMilliseconds: 0) { number, datagram in
            guard datagram.source.address == remote.address, var one = running[number] else { return }
            running[number] = nil
            defer { running[number] = one }
            let bytes = UnsafeRawBufferPointer(datagram.bytes)
            switch datagram.kind {
            case .rtcp: one.call.receive(rtcp: bytes, arrival: datagram.arrival)
            case .rtp:
                guard let packet = try? RTPPacket(parsing: bytes), packet.header.payloadType == payloadType else {
                    results.otherPackets += 1
                    return
                }
                let wasLate = lastLate.map { datagram.arrival.milliseconds(since: $0) < Self.excuseMilliseconds } ?? false
                samples.withUnsafeMutableBufferPointer {
                    one.call.receive(
                        packet, arrival: datagram.arrival, wasLate: wasLate, speech: speech, decoder: one.decoder,
                        samples: $0, finder: &finder
                    ) { results.delays.add($0) }
                }
            default: results.otherPackets += 1
            }
        }
    }
}
