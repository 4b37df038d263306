import Reporting
import Softphone

/// What the service needs of a telephone: calls by SIP, or in tests whatever looks like them.
package protocol Telephone: Sendable {
    associatedtype Caller: Sendable

    /// Calls somebody.
    /// - Parameter account: as whom; `nil`: as nobody in particular.
    func call(_ target: String, account: String?, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall
    /// Takes on somebody who calls; it rings until it is answered or hung up.
    func accept(_ caller: Caller, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall
    /// - Parameter isBusy: because there are too many calls; else because the service is ending.
    func refuse(_ caller: Caller, isBusy: Bool)
    /// Takes every registration back.
    func unregister()
}

/// The telephone by SIP, with every account of the configuration.
struct SIPTelephone: Telephone {
    let phone: SIPPhone
    let settings: ServiceSettings

    func call(_ target: String, account: String?, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall {
        var request = try request(.call(target), audio)
        if let account {
            guard let known = settings.accounts.first(where: { $0.name == account }) else {
                throw .request("there is no account '\(account)'; GET /v1/accounts lists them")
            }
            request.account = known
        }
        return try phone.call(request)
    }

    func accept(_ caller: WaitingCaller, audio: AudioEnd) throws(SoftphoneError) -> any LiveCall {
        let request: SIPRequest
        do throws(SoftphoneError) { request = try self.request(.listen(nil), audio) } catch {
            phone.refuse(caller, .busy)
            throw error
        }
        return try phone.accept(caller, request)
    }

    func refuse(_ caller: WaitingCaller, isBusy: Bool) { phone.refuse(caller, isBusy ? .busy : .unavailable) }

    func unregister() { for account in settings.accounts { phone.unregister(account.name) } }

    private func request(_ purpose: SIPRequest.Purpose, _ audio: AudioEnd) throws(SoftphoneError) -> SIPRequest {
        var request = SIPRequest(purpose, codecs: settings.codecs, media: settings.media)
        let device: String
        switch audio {
        case .device(let name): device = name
        case .echo:
            device = "null"
            request.echoes = true
        case .play(_, let path):
            device = "null"
            request.media.playPath = path
        }
        let place = try DeviceChoice.device(device)
        (request.media.device.input, request.media.device.output) = (place, place)
        // There is no room to take an echo out of.
        if place == .null { request.media.voiceProcessing = false }
        return request
    }
}
