import AudioDevices
import AudioUnits
import Reporting

/// What the person at this end hears while nobody talks: it rings here or there, or a caller waits.
extension SIPLiveCall {
    /// The loudspeaker of a person; nil: there is none, but a file or a program.
    var loudspeaker: DeviceSpecification? {
        request.media.device.output.isHardware ? request.media.device.output : nil
    }

    private var wantedTone: (place: DeviceSpecification, cadence: CallTone.Cadence)? {
        if isRinging {
            return isBesideAnother
                ? (request.media.ring ?? loudspeaker).map { ($0, .waiting) } : request.media.ring.map { ($0, .ring) }
        }
        guard ringsBack, reason == nil, !isBesideAnother else { return nil }
        return loudspeaker.map { ($0, .ringback) }
    }

    /// Early media may be agreed on of which nothing ever comes: it rings here until something does (RFC 3960 section 3.2).
    private var ringsBack: Bool { isRingingThere && !isAnswered && !isHeard }

    func keepTone() {
        guard reason == nil else { return }
        if isRingingThere, !ringsBack { tone = nil }
        guard !cannotSound, tone == nil || tone?.isOver == true else { return }
        tone = nil
        guard let (place, cadence) = wantedTone else { return }
        do throws(AudioUnitError) {
            tone = try CallTone(at: place, cadence, audio: nil)
        } catch {
            // Some hardware serves one at a time: the tone comes first.
            if media.yieldStandby() { return keepTone() }
            cannotSound = true
            // Early media have the device, where it serves one at a time.
            guard media.running == nil else { return }
            pending.append(.warning("no \(cadence.name) tone on \(place.name): \(SoftphoneError(error).description)"))
        }
    }
}
