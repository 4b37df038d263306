import Glibc
import Realtime

/// Networks by name, drawn from a fixed seed each: the same in tests, on the command line and in the documentation, with
/// marks that the receive path must reach on them.
public enum NetworkScenario: String, CaseIterable, Sendable {
    /// A wire: 20 ms, hardly any jitter.
    case clean
    /// An access point with neighbours: stalls of 30 to 90 ms every two seconds, 0.5 % loss.
    case wifiBurst = "wifi-burst"
    /// A phone walking through a building: every 15 s a stall of 120 to 250 ms.
    case wifiRoam = "wifi-roam"
    /// An upload fills the router's queue: 200 ms more within four seconds and back, every ten.
    case bufferbloat
    /// A moving LTE phone: 12 ms of scheduling jitter, every 12 s a handover of 60 to 120 ms that loses two packets.
    case lteHandover = "lte-handover"
    /// 5 % of the packets lost, one by one.
    case randomLoss = "random-loss"
    /// 5 % lost, two in a row on average.
    case burstLoss = "burst-loss"
    /// The route becomes 100 ms longer for twenty seconds of every sixty.
    case routeChange = "route-change"
    /// The sender's clock runs 50 ppm fast.
    case drift = "drift-50ppm"

    /// What an Opus call of 60 s reaches, protected as the peer's reports of every second ask for.
    public struct Marks: Sendable, Equatable {
        /// Mean delay of network and buffer, in milliseconds.
        public var delayMilliseconds: Double
        /// Invented sound in milliseconds a minute.
        public var concealedMilliseconds: Double
    }

    /// The delays of its packets, of 20 ms, for ten minutes.
    public var trace: NetworkTrace {
        var random = SplitMix64(seed: 5, purpose: UInt64(Self.allCases.firstIndex(of: self) ?? 0))
        var stall = Stall()
        var isBad = false
        let packets = 30_000
        var handover = 0
        return NetworkTrace(
            delays: (0..<packets).map { index in
                let time = Double(index) * 20
                switch self {
                case .clean:
                    return 20 + random.unit()
                case .wifiBurst:
                    let delay = stall.delay(at: time, every: 2000, length: 30...90, &random)
                    return random.unit() < 0.005 ? nil : max(5 + random.exponential(2), delay)
                case .wifiRoam:
                    return max(5 + random.exponential(2), stall.delay(at: time, every: 15_000, length: 120...250, &random))
                case .bufferbloat:
                    let phase = (time / 1000).truncatingRemainder(dividingBy: 10)
                    let queue = phase < 4 ? phase / 4 : max(0, 1 - (phase - 4) / 1.5)
                    return 20 + 200 * queue + random.exponential(5)
                case .lteHandover:
                    let delay = stall.delay(at: time, every: 12_000, length: 60...120, &random)
                    handover = delay > 0 ? handover + 1 : 0
                    return (1...2).contains(handover) ? nil : max(40 + 12 * random.unit(), delay)
                case .randomLoss:
                    return random.unit() < 0.05 ? nil : 20 + random.exponential(3)
                case .burstLoss:
                    isBad = isBad ? random.unit() >= 0.5 : random.unit() < 0.05 / (2 * 0.95)
                    return isBad ? nil : 20 + random.exponential(3)
                case .routeChange:
                    let isLong = (20_000..<40_000).contains(time.truncatingRemainder(dividingBy: 60_000))
                    return (isLong ? 125 : 25) + random.exponential(3)
                case .drift:
                    return 60 - 50e-6 * time + random.exponential(2)
                }
            })
    }
}

/// A line that stands still now and then: what would arrive waits for the end.
private struct Stall {
    private var next: Double?
    private var end = -Double.infinity

    /// Milliseconds that a packet sent at `time` waits at least.
    mutating func delay(
        at time: Double, every period: Double, length: ClosedRange<Double>, _ random: inout SplitMix64
    ) -> Double {
        let due = next ?? period * (0.5 + random.unit())
        next = due
        if time >= due {
            end = time + length.lowerBound + (length.upperBound - length.lowerBound) * random.unit()
            next = due + period * (0.5 + random.unit())
        }
        return max(0, end - time)
    }
}

extension SplitMix64 {
    fileprivate mutating func exponential(_ mean: Double) -> Double { -mean * log(1 - unit()) }
}
