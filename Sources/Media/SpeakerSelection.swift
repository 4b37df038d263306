import DSP
import RTP

/// Who of a large conference is decoded and heard, by how loud each says that he is (RFC 6464).
///
/// Who says that he is silent is not decoded, and the loudest of the others are heard. Nobody is believed blindly: who claims to be loud
/// competes by what is measured once he was decoded for a while, and those who claim silence are looked into one after the other. Who
/// says nothing of his level is always decoded and heard, and so is everybody in a conference of few.
/// ```
/// once a frame:  choose (claims) -> isDecoded -> the voices are pulled -> take (measured, faded in and out) -> mixed
/// ```
/// Sans-I/O; parties have the numbers of their places. Allocates nothing but where somebody joins.
package struct SpeakerSelection {
    /// Parties from which on it is chosen.
    package static let leastParties = 10
    /// Of those who say how loud they are, so many are heard at once.
    package static let mostHeard = 8
    /// What is quieter is nobody's voice, in dBov; as `VoiceActivity` has it.
    package static let quietDBov = -50.0
    /// Who says that he is silent is heard for so long still, in milliseconds.
    package static let hangoverMilliseconds = VoiceActivity.hangoverMilliseconds
    /// Of those who claim silence, the next one is looked into after so long, in milliseconds.
    package static let probeMilliseconds = 200.0
    /// Who claimed to be so much louder than he is, in decibels, for so long, in milliseconds, is not believed for a while; nor is who
    /// was heard while he claimed silence.
    package static let exaggeration = 20.0
    package static let patienceMilliseconds = 1000.0
    package static let distrustMilliseconds = 10_000.0
    /// Who is heard stays until somebody is so much louder, in decibels.
    private static let advantage = 6.0

    private struct Party {
        var meter: LevelMeter
        var claim: AudioLevel?
        /// Since he last claimed to be louder than quiet, in milliseconds.
        var quiet = 0.0
        /// For how long his claims have been too loud, and how long they are not believed yet, in milliseconds.
        var exaggerates = 0.0
        var distrusted = 0.0
        var isHeard = true
        var wasHeard = true
        var gain: Float = 1

        /// By which he competes, in dBov; nil: not at all.
        var loudness: Double? {
            guard let claim else { return nil }
            let believed = distrusted > 0 ? meter.levelDBov : claim.dBov
            guard quiet < SpeakerSelection.hangoverMilliseconds || distrusted > 0 && believed > SpeakerSelection.quietDBov
            else { return nil }
            return believed + (wasHeard ? SpeakerSelection.advantage : 0)
        }
    }

    private let sampleRate: Int
    private var parties: [Party] = []
    /// Who is looked into, and for how long still, in milliseconds.
    private var probed: Int?
    private var probeLeft = Self.probeMilliseconds
    private var nextProbe = 0

    /// - Parameter sampleRate: of the voices, Hz.
    package init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Adds a party, which gets the next number from 0 on.
    package mutating func join() { parties.append(Party(meter: LevelMeter(sampleRate: sampleRate))) }

    /// Lets a party go; those after it move down by one.
    package mutating func leave(_ party: Int) {
        parties.remove(at: party)
        guard let probed, probed >= party else { return }
        self.probed = probed == party ? nil : probed - 1
    }

    /// Gives a party's place to another one.
    package mutating func renew(_ party: Int) { parties[party] = Party(meter: LevelMeter(sampleRate: sampleRate)) }

    /// Chooses for the next frame.
    /// - Parameters:
    ///   - milliseconds: its length.
    ///   - claim: what a party says of its newest packet; nil: nothing.
    package mutating func choose(milliseconds: Double, _ claim: (Int) -> AudioLevel?) {
        for party in parties.indices { note(claim(party), of: party, milliseconds) }
        let isLarge = parties.count >= Self.leastParties
        for party in parties.indices {
            parties[party].wasHeard = parties[party].isHeard
            parties[party].isHeard = !isLarge || parties[party].claim == nil
        }
        guard isLarge else {
            probed = nil
            return
        }
        for _ in 0..<Self.mostHeard {
            guard let loudest else { break }
            parties[loudest].isHeard = true
        }
        probe(milliseconds)
    }

    private mutating func note(_ claim: AudioLevel?, of party: Int, _ milliseconds: Double) {
        parties[party].claim = claim
        guard let claim else { return }
        let isLoud = claim.dBov > Self.quietDBov
        parties[party].quiet = isLoud ? 0 : parties[party].quiet + milliseconds
        parties[party].distrusted = max(0, parties[party].distrusted - milliseconds)
        let isExaggerated = parties[party].isHeard && claim.dBov > parties[party].meter.levelDBov + Self.exaggeration
        parties[party].exaggerates = isExaggerated ? parties[party].exaggerates + milliseconds : 0
        if parties[party].exaggerates >= Self.patienceMilliseconds { parties[party].distrusted = Self.distrustMilliseconds }
    }

    /// Of those who compete and have no place yet.
    private var loudest: Int? {
        var found: (party: Int, loudness: Double)?
        for party in parties.indices where !parties[party].isHeard {
            guard let loudness = parties[party].loudness, loudness > found?.loudness ?? -.infinity else { continue }
            found = (party, loudness)
        }
        return found?.party
    }

    /// Looks into one after the other of those who claim silence.
    private mutating func probe(_ milliseconds: Double) {
        probeLeft -= milliseconds
        if let probed, parties[probed].isHeard { self.probed = nil }
        guard probeLeft <= 0 else { return }
        probeLeft = Self.probeMilliseconds
        if let probed, parties[probed].loudness == nil, parties[probed].meter.levelDBov > Self.quietDBov {
            parties[probed].distrusted = Self.distrustMilliseconds
        }
        probed = nil
        for step in parties.indices {
            let party = (nextProbe + step) % parties.count
            guard parties[party].loudness == nil, isSilenced(party) else { continue }
            parties[party].meter = LevelMeter(sampleRate: sampleRate)
            probed = party
            nextProbe = party + 1
            return
        }
    }

    /// Whether a party's packets are to be decoded for the frame at hand.
    package func isDecoded(_ party: Int) -> Bool {
        parties[party].isHeard || parties[party].gain > 0 || party == probed
    }

    /// Whether a party is silent in the frame at hand, since it is not heard.
    package func isSilenced(_ party: Int) -> Bool { !parties[party].isHeard && parties[party].gain == 0 }

    /// Takes what a party said in the frame at hand, or in a part of it: it is measured, and silenced where it is not heard. Who begins
    /// to be heard, or ends, is faded.
    package mutating func take(_ block: UnsafeMutableBufferPointer<Float>, of party: Int) {
        if isDecoded(party) { parties[party].meter.add(UnsafeBufferPointer(block)) }
        let (gain, target): (Float, Float) = (parties[party].gain, parties[party].isHeard ? 1 : 0)
        guard gain != 1 || target != 1 else { return }
        let step = (target - gain) / Float(max(1, block.count))
        for index in block.indices { block[index] *= gain + step * Float(index + 1) }
        parties[party].gain = target
    }

    /// How loud a party is in the mix; nil: it is not heard, or says nothing.
    package func level(of party: Int) -> AudioLevel? {
        guard parties[party].isHeard else { return nil }
        let level = parties[party].meter.levelDBov
        return level > Self.quietDBov ? AudioLevel(dBov: level) : nil
    }
}
