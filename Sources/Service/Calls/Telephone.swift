import AudioDevices
import AudioFiles
import Reporting
import Softphone

/// What the service needs of a telephone: calls by SIP, or in tests whatever looks like them.
package protocol Telephone: Sendable {
    associatedtype Caller: Sendable

    /// Calls somebody.
    /// - Parameters:
    ///   - account: as whom; `nil`: as nobody in particular.
    ///   - bridge: of the handset that is its audio end.
    func call(
        _ target: String, account: String?, audio: AudioEnd, bridge: CallBridge?
    ) throws(SoftphoneError) -> any LiveCall
    /// Takes on somebody who calls; it rings until it is answered or hung up.
    func accept(_ caller: Caller, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall
    /// Lets a caller in no further.
    func refuse(_ caller: Caller, _ reason: RefusalReason)
    /// Gives a call another audio end.
    /// - Parameter bridge: where it hears other calls.
    func change(_ call: any LiveCall, to audio: AudioEnd, bridge: CallBridge?) throws(SoftphoneError)
    /// Answers a browser's offer.
    /// - Parameters:
    ///   - audio: its other end; `nil`: the calls that it becomes the handset of.
    ///   - bridge: where it hears other calls; `nil`: a new place, where it is a handset.
    func answer(offer: [UInt8], audio: AudioEnd?, bridge: CallBridge?) async throws(SoftphoneError) -> BrowserConversation
    /// Messages by SIP of calls, by their Call-IDs.
    func ladder(_ dialogs: [String]) -> [SIPLadder.Step]
    /// Registers an account anew at once.
    func refresh(_ account: String)
    /// Registers an account from a place of its own and takes that back, step by step. Blocks until the registrar has answered, for
    /// 15 s at most.
    func check(_ account: String) throws(SoftphoneError) -> AccountCheck
    /// Sends somebody a text.
    /// - Returns: the number by which its outcome is told.
    func send(_ text: String, to target: String, account: String?) throws(SoftphoneError) -> UInt64
    /// Lets no call begin any more, and takes every registration back.
    /// - Parameter seconds: after which callers may try again.
    func drain(seconds: Int)
}

/// Why somebody who calls is not let in.
package enum RefusalReason: Sendable, Equatable {
    /// Nobody can talk now.
    case busy
    /// There is no place for another call; there may be one after so many seconds.
    case full(retryAfter: Int)
    /// The account has just gone.
    case unavailable
    /// The service is ending.
    case ending
    /// This caller may not call.
    case forbidden
    /// Nobody takes calls now.
    case declined
}

/// The telephone by SIP, with every account of the configuration.
struct SIPTelephone: Telephone {
    let phone: SIPPhone
    let live: LiveSettings
    private var settings: ServiceSettings { live.now }

    init(phone: SIPPhone, live: LiveSettings) { (self.phone, self.live) = (phone, live) }

    func call(
        _ target: String, account: String?, audio: AudioEnd, bridge: CallBridge?
    ) throws(SoftphoneError) -> any LiveCall {
        var request = try request(.call(target), audio)
        request.bridge = bridge
        capture(&request)
        if let account {
            guard let known = settings.accounts.first(where: { $0.name == account }) else {
                throw .request("there is no account '\(account)'; GET /v1/accounts lists them")
            }
            request.account = known
        }
        return try phone.call(request)
    }

    func accept(_ caller: WaitingCaller, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall {
        var request: SIPRequest
        do throws(SoftphoneError) { request = try self.request(.listen(nil), audio) } catch {
            phone.refuse(caller, .busy)
            throw error
        }
        request.account = settings.accounts.first { $0.name == caller.account }
        capture(&request)
        return try phone.accept(caller, request)
    }

    func refuse(_ caller: WaitingCaller, _ reason: RefusalReason) {
        switch reason {
        case .busy: phone.refuse(caller, .busy)
        case .ending: phone.refuse(caller, .ending)
        case .full(let seconds): phone.refuse(caller, .full(retryAfter: seconds))
        case .unavailable: phone.refuse(caller, .unavailable)
        case .forbidden: phone.refuse(caller, .forbidden)
        case .declined: phone.refuse(caller, .declined)
        }
    }

    func change(_ call: any LiveCall, to audio: AudioEnd, bridge: CallBridge?) throws(SoftphoneError) {
        var sound = try request(.listen(nil), audio).sound
        sound.bridge = bridge
        try call.take(sound)
    }

    func ladder(_ dialogs: [String]) -> [SIPLadder.Step] { phone.ladder?.steps(of: dialogs) ?? [] }

    func refresh(_ account: String) { phone.register(account) }

    func check(_ account: String) throws(SoftphoneError) -> AccountCheck {
        guard let known = settings.accounts.first(where: { $0.name == account }) else {
            throw .request("there is no account '\(account)' any more; GET /v1/accounts lists them")
        }
        return try AccountCheck.run(known, access: settings.access, within: 15)
    }

    func send(_ text: String, to target: String, account: String?) throws(SoftphoneError) -> UInt64 {
        if let known = settings.accounts.first(where: { $0.name == account }), !known.mayReach(target) {
            throw .request(known.unreached(target))
        }
        return try phone.send(text, to: target, account: account)
    }

    func drain(seconds: Int) {
        phone.drain(retryAfterSeconds: seconds)
        for account in settings.accounts { phone.unregister(account.name) }
    }

    func answer(
        offer: [UInt8], audio: AudioEnd?, bridge: CallBridge?
    ) async throws(SoftphoneError) -> BrowserConversation {
        var request = BrowserRequest(offer: offer, codecs: settings.codecs, media: settings.media)
        if let audio { request.echoes = try Self.choose(audio, &request.media) }
        request.bridge = bridge ?? (audio == nil ? CallBridge() : nil)
        // Nobody else than browsers of this machine gets here then.
        request.isLocal = settings.address.isLoopback
        return try await Softphone().answer(request)
    }

    /// Keeps the packets of a call for its bundle.
    private func capture(_ request: inout SIPRequest) {
        guard let shelf = settings.captures, request.bridge == nil else { return }
        (request.media.capturePlace, request.media.captureBytes) = (shelf.place(), shelf.bytes)
        // A bundle is there to be played again.
        request.media.capturesDecrypted = true
    }

    private func request(_ purpose: SIPRequest.Purpose, _ audio: AudioEnd) throws(SoftphoneError) -> SIPRequest {
        var request = SIPRequest(purpose, codecs: settings.codecs, media: settings.media)
        request.echoes = try Self.choose(audio, &request.media)
        return request
    }

    /// - Returns: whether what is heard is sent back.
    private static func choose(_ audio: AudioEnd, _ media: inout MediaRequest) throws(SoftphoneError) -> Bool {
        var device = "null"
        (media.playPath, media.playsAgain, media.sharesPlayed) = (nil, false, true)
        switch audio {
        case .attendant(let attendant):
            (media.device.input, media.device.output) = (attendant.device, attendant.device)
            media.device.sampleRate = Attendant.rate
            (media.device.periodMilliseconds, media.voiceProcessing) = (10, false)
            return false
        case .play(_, let path, true) where !SharedSamples.isShort(path: path):
            let file = DeviceSpecification.file(capture: path, playback: nil, loop: true)
            (media.device.input, media.device.output) = (file, file)
            media.voiceProcessing = false
            return false
        case .record(let path):
            let file = DeviceSpecification.file(capture: nil, playback: path, loop: false)
            (media.device.input, media.device.output) = (file, file)
            media.voiceProcessing = false
            return false
        case .program(let line):
            let name = "program:" + String(UInt64.random(in: 0 ... .max), radix: 16)
            let place = DeviceSpecification.other(AnyNamedDevice(ProgramSound(line: line, name: name)))
            (media.device.input, media.device.output, media.device.sampleRate) = (place, place, line.end.sampleRate)
            (media.device.periodMilliseconds, media.voiceProcessing) = (ProgramDevice.periodMilliseconds, false)
            return false
        case .device(let name): device = name
        // Where other calls are heard the bridge is the device.
        case .echo, .silence, .handset, .call, .conference: break
        case .play(_, let path, let repeats): (media.playPath, media.playsAgain) = (path, repeats)
        }
        let place = try DeviceChoice.device(device)
        (media.device.input, media.device.output) = (place, place)
        // There is no room to take an echo out of.
        if place == .null { media.voiceProcessing = false }
        return audio == .echo
    }
}
