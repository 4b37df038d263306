import Codecs
import Glibc
import Media
import Realtime
import Simulation

/// A plan with what most scenarios share: no echo and no noise in the rooms, and the bare device, so that what is heard
/// is what was said.
func quietPlan(
    _ codec: Codec = .opus, seconds: Double = 10, network: String = "", seed: UInt64 = 1
) throws -> LoopbackPlan {
    var plan = LoopbackPlan()
    plan.codec = codec
    plan.seconds = seconds
    plan.network = try NetworkConditions(parsing: network)
    plan.scenario = network.isEmpty ? nil : network
    plan.seed = seed
    plan.voiceProcessing = false
    plan.room.noiseDecibels = nil
    plan.room.echoDecibels = -120
    return plan
}

extension OfflineSide {
    /// RMS in dBov of what was heard between two times; -200 for digital silence.
    func heardLevel(from: Double, to: Double) -> Double {
        level(of: heard, rate: deviceRate, from: from, to: to)
    }

    /// What was heard between two times in seconds.
    func heard(from: Double, to: Double) -> ArraySlice<Float> {
        let range = Int(from * Double(deviceRate))..<Int(to * Double(deviceRate))
        return heard[range.clamped(to: heard.indices)]
    }

    /// Whether the call ended, and how.
    var ending: (seconds: Double, reason: EndReason)? {
        for (seconds, event) in events {
            if case .ended(let reason) = event { return (seconds, reason) }
        }
        return nil
    }
}

extension OfflineCall {
    /// Delay in milliseconds found in the audio from `from` seconds on, of what `speaker` said.
    func delay(of speaker: Int, from: Double = 0, to: Double = .infinity) -> Double? {
        let listener = sides[1 - speaker]
        let rate = Double(listener.deviceRate)
        let end = min(to, Double(listener.heard.count) / rate)
        let range = Int(from * rate)..<Int(end * rate)
        return DelayMeter.milliseconds(
            spoken: Array(sides[speaker].spoken[range.clamped(to: sides[speaker].spoken.indices)]),
            heard: Array(listener.heard[range]), sampleRate: listener.deviceRate)
    }
}

extension OfflineCall {
    /// Delay in milliseconds of what `listener` hears at `seconds`: half a second around it is found again in what the other side
    /// said, in any 1.2 s before; nil where nothing is heard, or nothing that was said.
    func delay(heardBy listener: Int, at seconds: Double) -> Double? {
        let (heard, spoken) = (sides[listener].heard, sides[1 - listener].spoken)
        let step = sides[listener].deviceRate / 4000
        let rate = Double(sides[listener].deviceRate) / Double(step)
        let (count, lags) = (Int(0.5 * rate), Int(1.2 * rate))
        let first = Int((seconds - 0.25) * rate)
        guard first >= lags, (first + count) * step <= min(heard.count, spoken.count) else { return nil }
        func decimated(_ sound: [Float], _ range: Range<Int>) -> [Float] {
            range.map { index in sound[index * step..<(index + 1) * step].reduce(0, +) }
        }
        let part = decimated(heard, first..<first + count)
        let said = decimated(spoken, first - lags..<first + count)
        let energy = part.reduce(0) { $0 + $1 * $1 }
        var best: (lag: Int, likeness: Float)?
        for lag in 0...lags where energy > 1e-3 {
            var (product, own): (Float, Float) = (0, 1e-9)
            for index in 0..<count {
                let sample = said[lags - lag + index]
                product += part[index] * sample
                own += sample * sample
            }
            let likeness = product / (energy * own).squareRoot()
            if likeness > best?.likeness ?? 0.6 { best = (lag, likeness) }
        }
        return best.map { Double($0.lag) * 1000 / rate }
    }
}

/// RMS in dBov of a part of a signal; -200 for digital silence.
func level(of signal: [Float], rate: Int, from: Double, to: Double) -> Double {
    let range = (Int(from * Double(rate))..<Int(to * Double(rate))).clamped(to: signal.indices)
    let energy = signal[range].reduce(0.0) { $0 + Double($1) * Double($1) }
    return energy > 0 ? 10 * log10(energy / Double(max(range.count, 1))) : -200
}

/// One stall of `milliseconds` in a network without any other delay: packets of 20 ms that would arrive after `seconds`
/// wait for its end together.
func oneSpike(at seconds: Double, milliseconds: Int, of total: Double) throws -> NetworkTrace {
    let first = Int(seconds * 50)
    var csv = "seq,send_ms,arrive_ms\n"
    for number in 0..<Int(total * 50) + 50 {
        let age = (number - first) * 20
        let delay = age >= 0 && age < milliseconds ? milliseconds - age : 0
        csv += "\(number),\(number * 20),\(number * 20 + delay)\n"
    }
    return try NetworkTrace(csv: csv)
}
