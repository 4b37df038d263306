import Codecs
import LiveMedia
import Media
import Simulation
import Softphone

/// A kind of work whose cost a call is measured.
struct WorkKind {
    /// Its name: `pcmu_echo`, `opus_conference`.
    let name: String
    /// What it is, for a person.
    let text: String
    let work: Work

    enum Work {
        /// Calls at a port without a device.
        case port(VirtualPort.Work)
        /// What a setting adds to one side of a call with a device, in a simulated room.
        case difference(with: LoopbackPlan, without: LoopbackPlan)
    }

    /// Whether it writes files.
    var isRecorded: Bool { if case .port(let work) = work { work.isRecorded } else { false } }

    /// Seconds of the simulated call by which a setting is judged.
    private static let simulatedSeconds = 4.0

    /// - Parameters:
    ///   - media: codec and encoder.
    ///   - srtp: whether encryption is among them.
    ///   - voiceProcessing: whether voice processing is.
    ///   - speech: a file of what callers say; `nil`: made by numbers.
    ///   - seed: of everything random.
    static func all(_ media: MediaRequest, srtp: Bool, voiceProcessing: Bool, speech: String?, seed: UInt64) -> [WorkKind] {
        func port(
            _ name: String, _ text: String, _ codec: Codec, _ calls: Int, _ adjust: (inout VirtualPort.Work) -> Void = { _ in }
        ) -> WorkKind {
            var work = VirtualPort.Work(codec: codec, calls: calls)
            (work.speech, work.seed) = (speech, seed)
            adjust(&work)
            return WorkKind(name: name, text: text, work: .port(work))
        }
        var kinds = [
            port("pcmu_echo", "PCMU, echo", .pcmu, 50),
            port("pcmu_conference", "PCMU, 50 in a conference, all speak", .pcmu, 50) { $0.sound = .conference },
            port("pcmu_announcement", "PCMU, not heard, silence is said", .pcmu, 50) { $0.sound = .announcement },
            port("pcmu_recording", "PCMU, recorded, silence is said", .pcmu, 50) {
                ($0.sound, $0.isRecorded) = (.announcement, true)
            },
        ]
        let codec = media.codec
        if codec != .pcmu {
            let settings = media.encoder
            let name = codec.name
            let set: (inout VirtualPort.Work) -> Void = { $0.settings = settings }
            let hard = codec.bitrate == .adjustable ? ", complexity \(settings.complexity)" : ""
            kinds.append(port("\(name)_echo", "\(name)\(hard), echo", codec, 10, set))
            kinds.append(
                port("\(name)_conference", "\(name)\(hard), 10 in a conference, all speak", codec, 10) {
                    set(&$0)
                    $0.sound = .conference
                })
            kinds.append(
                port("\(name)_announcement", "\(name)\(hard), not heard, silence is said", codec, 10) {
                    set(&$0)
                    $0.sound = .announcement
                })
            kinds.append(
                port("\(name)_recording", "\(name), recorded, silence is said", codec, 10) {
                    set(&$0)
                    ($0.sound, $0.isRecorded) = (.announcement, true)
                })
        }
        var plan = LoopbackPlan()
        (plan.codec, plan.encoder, plan.seconds, plan.seed) = (codec, media.encoder, simulatedSeconds, seed)
        plan.voiceProcessing = false
        if srtp {
            var encrypted = plan
            encrypted.encrypts = true
            kinds.append(WorkKind(name: "srtp", text: "SRTP adds", work: .difference(with: encrypted, without: plan)))
        }
        if voiceProcessing {
            var processed = plan
            processed.voiceProcessing = true
            kinds.append(
                WorkKind(
                    name: "voice_processing", text: "voice processing of a device adds",
                    work: .difference(with: processed, without: plan)))
        }
        return kinds
    }
}
