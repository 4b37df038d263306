import Codecs
import Link
import LiveMedia
import Media
import Network
import RTP
import Realtime
import Signalling
import Softphone

/// Makes the calls of a load, or every so manieth of them, on the thread that steps it: a clock of a millisecond, a port a call.
///
/// A turn sends what is due, a few calls each millisecond of their packets' time, and notes what has come. What came is looked at by
/// somebody else (`EchoEar`), and by SIP calls are signalled by somebody else (`LoadSignalling`): a call begins to send once that tells
/// of its answer.
struct LoadRunner {
    /// Which of a load's calls it makes.
    struct Share {
        let index: Int
        /// Runners there are.
        let of: Int
    }

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
    /// Of what came back so much is handed on at once, in milliseconds.
    private static let stretchMilliseconds = 1000

    /// In a box, so that nothing of it is copied for a packet.
    private final class Running {
        var call: LoadCall
        /// What it says.
        let speech: LoadSpeech
        /// Where its packets go; nil: it waits for an answer, or is held.
        var path: LoadPath?
        /// Signalling knows it by that; nil: nobody signals, or no more.
        var line: SignalledCallID?
        /// nil: it has not been answered yet.
        var began: HostTime?
        var nextReport: HostTime?
        /// When the goodbye was said.
        var endedAt: HostTime?

        init(_ call: LoadCall, _ speech: LoadSpeech) { (self.call, self.speech) = (call, speech) }
    }

    private let plan: LoadPlan
    /// What calls say, in each codec of the mix.
    private let speeches: [LoadSpeech]
    private let packetMilliseconds: Int
    private let share: Share
    private let pool: UDPSocketPool
    /// nil: nobody signals.
    private let signalling: LoadSignalling?
    private let inbox: Mailbox<LoadSignal>
    private var wheel: TickWheel
    private var random: SplitMix64
    private var running: [Int: Running] = [:]
    private var packet = [UInt8](repeating: 0, count: PacketLimits.datagramBytes)
    private var nextCall: Int
    private let start: HostTime
    private var lastLate: HostTime?
    private var nextSweep = HostTime.zero
    private var isEnding = false
    /// What its calls came to so far, but for what the sockets know.
    private var counted = LoadRunnerFigures()

    /// - Parameters:
    ///   - speeches: what calls say, in each codec of the mix.
    ///   - signalling: of calls by SIP.
    ///   - start: when the first call is due.
    init(
        _ plan: LoadPlan, _ speeches: [LoadSpeech], _ signalling: LoadSignalling?, share: Share, start: HostTime
    ) throws(SoftphoneError) {
        (self.plan, self.speeches, self.signalling, self.share, self.start) = (plan, speeches, signalling, share, start)
        packetMilliseconds = plan.settings.frameMilliseconds
        do { pool = try UDPSocketPool() } catch { throw .network(error) }
        do { inbox = try Mailbox() } catch { throw .resources("\(error)") }
        random = SplitMix64(seed: plan.seed &+ UInt64(share.index))
        nextCall = share.index
        // Not all of them at once.
        let offset = Self.turnMilliseconds * Double(share.index) / Double(share.of)
        wheel = TickWheel(start: start.advanced(byMilliseconds: offset), slotMilliseconds: Self.turnMilliseconds)
    }

    /// Whether every call was made and is over.
    var isOver: Bool { running.isEmpty && (nextCall >= plan.calls || isEnding) }
    /// What it counted of all of its calls together.
    var figures: LoadRunnerFigures {
        var all = counted
        (all.sendFailures, all.lastSendError) = (pool.statistics.sendFailures, pool.statistics.lastSendError)
        return all
    }
    /// Calls that run now.
    var active: Int { running.count }

    /// Says goodbye in all calls, and makes no more.
    mutating func end() {
        isEnding = true
        let now = HostTime.monotonicNow()
        for number in running.keys { hangUp(number, now: now) }
    }

    /// Goes on for `milliseconds`.
    /// - Returns: what came back in that time, and calls that have ended.
    mutating func run(milliseconds: Double) -> [LoadNews] {
        let until = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
        var news: [LoadNews] = []
        while HostTime.monotonicNow() < until, !isOver {
            wheel.nextTurn.sleepUntil()
            while let due = wheel.advance(to: .monotonicNow()) {
                noteSkippedTurns()
                for number in wheel.due { send(number, due: due) }
            }
            if signalling != nil { takeSignals() }
            receive()
            beginCalls()
            let now = HostTime.monotonicNow()
            if now >= nextSweep {
                nextSweep = now.advanced(byMilliseconds: 50)
                sweep(now, &news)
            }
        }
        return news
    }

    // MARK: - Calls

    private mutating func beginCalls() {
        let now = HostTime.monotonicNow()
        while !isEnding, nextCall < plan.calls,
            now.milliseconds(since: start) >= Double(nextCall) * 1000 / plan.rate
        {
            let number = nextCall
            nextCall += share.of
            do {
                let local = try pool.open(number, towards: plan.towards, bind: plan.bind)
                let kind = plan.codecIndex(ofCall: number)
                let (codec, speech) = (plan.mix.codecs[kind], speeches[kind])
                let one = Running(
                    LoadCall(
                        number: number, local: local, codec, firstPacket: speech.firstPacket(ofCall: number), random: &random),
                    speech)
                running[number] = one
                switch plan.way {
                case .raw(let paths):
                    one.began = now
                    take(paths[kind], one)
                case .sip: one.line = signalling?.invite(number, codec, port: local.port, telling: inbox)
                }
            } catch {
                counted.failures += 1
                counted.firstFailure = counted.firstFailure ?? "\(error)"
            }
        }
    }

    private mutating func send(_ number: Int, due: HostTime) {
        guard let one = running[number], one.endedAt == nil, let remote = one.path?.remote else { return }
        let pool = pool
        let hasLeft = packet.withUnsafeMutableBytes { buffer -> Bool in
            let length = one.call.write(one.speech, into: buffer)
            return pool.send(UnsafeRawBufferPointer(rebasing: buffer[..<length]), from: number, to: remote)
        }
        let now = HostTime.monotonicNow()
        let late = now.milliseconds(since: due)
        if hasLeft { one.call.noteSent(at: now, lateMilliseconds: late) }
        counted.lateness.add(late)
        if late >= Self.excuseLateness { lastLate = now }
        if one.nextReport.map({ now >= $0 }) ?? (one.call.packetsSent >= Self.firstReportPackets) {
            one.nextReport = now.advanced(byMilliseconds: Self.reportMilliseconds)
            report(one, isLast: false)
        }
    }

    /// After a long standstill turns are left out, and the next one seems to be in time.
    private mutating func noteSkippedTurns() {
        let late = Double(wheel.takeSkipped()) * Self.turnMilliseconds
        guard late > 0 else { return }
        counted.lateness.add(late)
        lastLate = .monotonicNow()
    }

    private func report(_ one: Running, isLast: Bool) {
        guard let control = one.path?.control else { return }
        one.call.report(isLast: isLast, ntp: .now()).withUnsafeBytes {
            _ = pool.send($0, from: one.call.number, to: control)
        }
    }

    private mutating func hangUp(_ number: Int, now: HostTime) {
        guard let one = running[number], one.endedAt == nil else { return }
        report(one, isLast: true)
        if let line = one.line { signalling?.hangUp(line) }
        one.endedAt = now
        one.call.noteGoodbye(at: now, wasLate: wasLate(before: now), isHeld: one.path == nil)
        wheel.remove(number)
    }

    private mutating func sweep(_ now: HostTime, _ news: inout [LoadNews]) {
        let packets = Self.stretchMilliseconds / packetMilliseconds
        for (number, one) in running {
            if let endedAt = one.endedAt {
                guard now.milliseconds(since: endedAt) >= Self.lingerMilliseconds else { continue }
                one.call.noteOver(packetMilliseconds: packetMilliseconds)
                if let heard = one.call.takeHeard(packets: 0) { news.append(.heard(number, heard)) }
                news.append(.over(one.call))
                running[number] = nil
                pool.close(number)
            } else if one.began.map({ now.milliseconds(since: $0) >= plan.holdSeconds * 1000 }) ?? false
                || one.call.endedByPeer != nil
            {
                hangUp(number, now: now)
            } else if let heard = one.call.takeHeard(packets: packets) {
                news.append(.heard(number, heard))
            }
        }
    }

    // MARK: - Signalling

    private mutating func takeSignals() {
        for signal in inbox.takeAll() {
            switch signal {
            case .answered(let number, let path, let milliseconds):
                guard let one = running[number], one.endedAt == nil else { continue }
                one.call.noteAnswer(milliseconds: milliseconds)
                one.began = .monotonicNow()
                take(path, one)
            case .moved(let number, let path):
                guard let one = running[number], one.endedAt == nil else { continue }
                take(path, one)
            case .ended(let number, let ending, let time):
                guard let one = running[number] else { continue }
                one.line = nil
                guard one.endedAt == nil else { continue }
                one.call.noteEnding(ending, at: time)
                hangUp(number, now: .monotonicNow())
            }
        }
    }

    /// The call's packets go there from now on; nil: nothing is sent for the time being.
    private mutating func take(_ path: LoadPath?, _ one: Running) {
        let isSending = one.path != nil
        one.path = path
        guard let path else { return wheel.remove(one.call.number) }
        one.call.send(as: path.payloadType)
        if !isSending { wheel.add(one.call.number, everyMilliseconds: packetMilliseconds) }
    }

    // MARK: - Hearing

    /// Whether the load itself was late so shortly before that a gap which ends at `time` may be its own.
    private func wasLate(before time: HostTime) -> Bool {
        lastLate.map { time.milliseconds(since: $0) < Self.excuseMilliseconds } ?? false
    }

    private mutating func receive() {
        let milliseconds = packetMilliseconds
        pool.receive(waitMilliseconds: 0) { number, datagram in
            guard let one = running[number], let path = one.path, datagram.source.address == path.remote.address else { return }
            let bytes = UnsafeRawBufferPointer(datagram.bytes)
            switch datagram.kind {
            case .rtcp: one.call.receive(rtcp: bytes, arrival: datagram.arrival)
            case .rtp:
                guard let packet = try? RTPPacket(parsing: bytes), path.receivedTypes.contains(packet.header.payloadType)
                else {
                    counted.otherPackets += 1
                    return
                }
                one.call.receive(
                    packet, arrival: datagram.arrival, wasLate: wasLate(before: datagram.arrival),
                    packetMilliseconds: milliseconds)
            default: counted.otherPackets += 1
            }
        }
    }
}
