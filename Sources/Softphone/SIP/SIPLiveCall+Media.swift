import Media
import Realtime
import Reporting
import Signalling

/// The media of a call: its ports, what was agreed on, and what happens to them.
extension SIPLiveCall {
    struct Opening {
        let media: SIPCallMedia
        /// Takes the ports; nil: there are none, and it was told why.
        let use: (SIPLiveCall, LocalPorts?) -> Void
    }

    /// - Returns: false when there are none; the call is over then.
    func openPorts() -> Bool {
        do throws(SoftphoneError) {
            try media.openPorts()
            return true
        } catch {
            cannotOpen(error)
            return false
        }
    }

    private func cannotOpen(_ error: SoftphoneError) {
        if case .network(let reason) = error {
            pending.append(.warning("\(reason)"))
            settle(.network, text: "\(reason)")
        } else {
            failure = error
            settle(.localHangup, text: error.description)
        }
    }

    /// Has `use` have the ports of `media` as soon as they are known: at once, where no server is asked for them.
    func open(_ media: SIPCallMedia, _ use: @escaping (SIPLiveCall, LocalPorts?) -> Void) {
        openings.append(Opening(media: media, use: use))
        takeOpenings()
    }

    func takeOpenings() {
        for opening in openings {
            let ports: LocalPorts?
            do throws(SoftphoneError) {
                ports = try opening.media.takePorts()
                guard ports != nil else { continue }
            } catch {
                ports = nil
                if opening.media === media {
                    cannotOpen(error)
                } else {
                    pending.append(.warning("the call cannot go on elsewhere: \(error)"))
                }
            }
            openings.removeAll { $0.media === opening.media }
            opening.use(self, ports)
        }
    }

    /// Brings the media to what was agreed on. A call whose media cannot be started is over.
    func startMedia() {
        guard reason == nil, let agreement else { return }
        // It has the device that the media want.
        tone = nil
        media.isAnswered = media.isAnswered || isAnswered || caller != nil
        do throws(SoftphoneError) { try media.start(agreement) } catch { failed(error) }
    }

    /// The media go on at a device that another call has too.
    func share(_ sound: CallBridge) {
        do throws(SoftphoneError) { try media.share(sound) } catch { failed(error) }
    }

    /// The media go on with something else at our end; where that cannot be, with what they had.
    func take(_ sound: CallSound) throws(SoftphoneError) {
        guard reason == nil else { throw .request("the call is over") }
        let former = media.sound
        do throws(SoftphoneError) { try media.take(sound) } catch {
            do throws(SoftphoneError) { try media.take(former) } catch { failed(error) }
            throw error
        }
    }

    private func failed(_ error: SoftphoneError) {
        pending.append(.warning("\(error)"))
        failure = error
        wish = wish ?? .localHangup
        if let id { signalling.hangUp(id) }
    }

    /// Nothing passes where the keys failed, or no way was found: the call is over.
    private func takeMediaFailure() {
        guard reason == nil, mediaFailure == nil else { return }
        if let failed = media.encryptionFailure {
            mediaFailure = "the media cannot be encrypted: \(failed.reason)"
            wish = wish ?? (failed.isCertificate ? .authentication : .network)
        } else if let failed = media.pathFailure {
            mediaFailure = failed
            wish = wish ?? .network
        } else {
            return
        }
        if let id { signalling.hangUp(id) }
    }

    func takeMediaEvents() {
        for body in media.takeEvents() {
            switch body {
            case .callEnded:
                // Signalling says when a call is over, but for silence and for echoes without end.
                guard reason == nil, let cause = media.endReason, wish == nil else { break }
                wish = cause
                if let id { signalling.hangUp(id) }
            default:
                if case .mediaStarted = body { isHeard = true }
                pending.append(body)
            }
        }
        if voiceStart == nil { voiceStart = media.voiceStart }
        answerWhenDue()
        takeMediaFailure()
        if let id, let ports = media.takeNewPorts() { signalling.move(id, media: ports) }
    }
}
