import AudioDevices
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
    /// - Parameter isBusy: because there are too many calls; else because the service is ending.
    func refuse(_ caller: Caller, isBusy: Bool)
    /// Answers a browser's offer.
    /// - Parameter audio: its other end; `nil`: the calls that it becomes the handset of.
    func answer(offer: [UInt8], audio: AudioEnd?) throws(SoftphoneError) -> BrowserConversation
    /// Lets no call begin any more, and takes every registration back.
    /// - Parameter seconds: after which callers may try again.
    func drain(seconds: Int)
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
        return try phone.accept(caller, request)
    }

    func refuse(_ caller: WaitingCaller, isBusy: Bool) { phone.refuse(caller, isBusy ? .busy : .ending) }

    func drain(seconds: Int) {
        phone.drain(retryAfterSeconds: seconds)
        for account in settings.accounts { phone.unregister(account.name) }
    }

    func answer(offer: [UInt8], audio: AudioEnd?) throws(SoftphoneError) -> BrowserConversation {
        var request = BrowserRequest(offer: offer, codecs: settings.codecs, media: settings.media)
        if let audio {
            request.echoes = try Self.choose(audio, &request.media)
        } else {
            request.bridge = CallBridge()
        }
        // Nobody else than browsers of this machine gets here then.
        request.isLocal = settings.address.isLoopback
        return try Softphone().answer(request)
    }

    private func request(_ purpose: SIPRequest.Purpose, _ audio: AudioEnd) throws(SoftphoneError) -> SIPRequest {
        var request = SIPRequest(purpose, codecs: settings.codecs, media: settings.media)
        request.echoes = try Self.choose(audio, &request.media)
        return request
    }

    /// - Returns: whether what is heard is sent back.
    private static func choose(_ audio: AudioEnd, _ media: inout MediaRequest) throws(SoftphoneError) -> Bool {
        var device = "null"
        switch audio {
        case .program(let program):
            let name = "program:" + String(UInt64.random(in: 0 ... .max), radix: 16)
            let place = DeviceSpecification.other(AnyNamedDevice(ProgramSound(end: program, name: name)))
            (media.device.input, media.device.output, media.device.sampleRate) = (place, place, program.sampleRate)
            (media.device.periodMilliseconds, media.voiceProcessing) = (10, false)
            return false
        case .device(let name): device = name
        // Of a handset the bridge is the device.
        case .echo, .handset: break
        case .play(_, let path): media.playPath = path
        }
        let place = try DeviceChoice.device(device)
        (media.device.input, media.device.output) = (place, place)
        // There is no room to take an echo out of.
        if place == .null { media.voiceProcessing = false }
        return audio == .echo
    }
}
