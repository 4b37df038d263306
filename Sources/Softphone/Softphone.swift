import Link
import LiveMedia
import Media
import Network
import Realtime
import Settings

/// The one door for whoever wants a call: a command line, a service, a test.
///
/// ```
/// CallRequest -> Softphone.start -> LiveCall: events and figures out, commands in, a report at the end
/// ```
public struct Softphone: Sendable {
    private let willBegin: @Sendable () -> Void

    /// - Parameter willBegin: called when everything is opened, before anything is sent, played or recorded.
    public init(willBegin: @escaping @Sendable () -> Void = {}) { self.willBegin = willBegin }

    /// Opens sockets and devices and starts a call, a conference, or waits for a caller.
    ///
    /// Blocks while a host name is looked up.
    /// - Returns: the call; `close` ends it.
    public func start(_ request: CallRequest) throws(SoftphoneError) -> any LiveCall {
        let media = request.media
        let seed = media.seed ?? .random(in: .min ... .max)
        let call = try begin(
            try makeParties(request, seed: seed), media, seed: seed, echoes: request.echoes, takesNext: request.parties != nil)
        do { return try RunningCall(call) } catch { throw .resources("\(error)") }
    }

    /// Opens the device and starts the media of parties whose links are ready.
    /// - Parameters:
    ///   - echoes: whether each party hears only himself, so that several are no conference.
    ///   - takesNext: whether a place waits for the next caller when a call is over.
    ///   - commands: done before the first sample passes.
    func begin(
        _ parties: [CallParty], _ media: MediaRequest, seed: UInt64, echoes: Bool, takesNext: Bool = false,
        commands: [CallCommand] = []
    ) throws(SoftphoneError) -> SessionCall {
        let isConference = parties.count > 1 && !echoes
        // Where nobody hears nobody has a place.
        let hasHeadset = isConference && parties.count <= HeadsetMixer.maximumParties && media.device.output != .null
        // The device and its libraries are not to come on top of it.
        ProcessMemory.letGo(of: .setUp)
        do throws(CallError) {
            let channels = hasHeadset ? 2 : 1
            let audio = media.makeAudioSession()
            let session = try CallSession(
                parties,
                unit: try media.device.fitting(parties).makeUnit(
                    voiceProcessing: media.voiceProcessing, seed: seed, playbackChannels: channels, audio: audio),
                isConference: isConference, playoutChannels: channels, recordPath: media.recordPath,
                capturePath: media.capturePath, capturesDecrypted: media.capturesDecrypted, captureBytes: media.captureBytes,
                dumpFolder: media.dumpFolder, realtime: media.device.realtime,
                loops: media.device.loops, audio: audio)
            for party in parties { media.logPlan(party.configuration, party.socket) }
            let call = SessionCall(session, parties: parties.map(SessionCall.Party.init), media: media, takesNext: takesNext)
            call.send(commands)
            ProcessMemory.letGo(of: .opening)
            willBegin()
            try session.start()
            call.announceStart()
            return call
        } catch {
            throw SoftphoneError(error)
        }
    }

    /// Starts the media of a party whose link is ready: with the calls of `bridge`, or, where there is none, on the device.
    /// - Parameter commands: done before the first sample of ours is sent.
    func begin(
        _ party: CallParty, _ media: MediaRequest, seed: UInt64, echoes: Bool, bridge: CallBridge?,
        commands: [CallCommand]
    ) throws(SoftphoneError) -> SessionCall {
        guard let bridge else { return try begin([party], media, seed: seed, echoes: echoes, commands: commands) }
        media.logPlan(party.configuration, party.socket)
        let known = SessionCall.Party(party)
        let place: BridgePlace
        do throws(CallError) { place = try bridge.join(party, media, seed: seed) } catch { throw SoftphoneError(error) }
        let call = SessionCall(place, parties: [known], media: media, takesNext: false)
        call.send(commands)
        call.announceStart()
        return call
    }

    private func makeParties(_ request: CallRequest, seed: UInt64) throws(SoftphoneError) -> [CallParty] {
        guard let first = request.uris.first else { throw .request("there is nobody to call; give a URI") }
        if first.tellsLevels {
            throw .request("level and speakers are for a conference without a device; give --device null and --parties")
        }
        guard let count = request.parties else {
            return try request.uris.enumerated().map { (index, uri) throws(SoftphoneError) -> CallParty in
                let configuration = try configuration(of: uri, request, seed: seed &+ UInt64(index))
                let (socket, alternatives) = try makeSocket(uri, request.role, bind: request.media.bind)
                return CallParty(
                    configuration: configuration, socket: socket, alternatives: alternatives, allow: request.media.allow)
            }
        }
        guard request.role == .listen, request.uris.count == 1, CallRequest.partiesAllowed.contains(count) else {
            throw .request("one port takes 1 to \(CallRequest.partiesAllowed.upperBound) parties; give --parties so many")
        }
        let socket = try makeSocket(first, .listen, bind: request.media.bind).socket
        let distributor = LinkDistributor(
            over: socket, hasControlPort: socket.localControlPort != socket.local.port, places: count)
        return try distributor.links.enumerated().map { (index, place) throws(SoftphoneError) in
            CallParty(
                configuration: try configuration(of: first, request, seed: seed &+ UInt64(index)), socket: socket,
                place: place, allow: request.media.allow)
        }
    }

    func configuration(
        of uri: CallURI, _ request: CallRequest, seed: UInt64
    ) throws(SoftphoneError) -> CallConfiguration {
        let media = request.media
        var configuration = media.callConfiguration(
            seed: seed, codec: uri.codec, packetMilliseconds: uri.packetMilliseconds, isCodedAgain: request.echoes)
        if let payloadType = uri.payloadType { configuration.payloadType = payloadType }
        if uri.takesAnyCodec { configuration.stream.takeAnyCodec() }
        configuration.stream.levels.received = uri.levelNumber
        configuration.stream.levels.sent = uri.speakersNumber
        try media.checkPayloadTypes(configuration)
        configuration.digits = media.digits
        configuration.echoes = request.echoes
        configuration.policy.waitsForCaller = request.role == .listen
        configuration.announcement = try media.announcement(rate: configuration.audioRate)
        return configuration
    }

    /// - Returns: with the addresses besides that of the socket's peer.
    private func makeSocket(
        _ uri: CallURI, _ role: CallURI.Role, bind: IPAddress?
    ) throws(SoftphoneError) -> (socket: UDPLink, alternatives: [SocketAddress]) {
        let rtcp: RTCPTransport =
            switch uri.rtcp {
            case .mux: .mux
            case .next: .separate()
            case .port(let port): .separate(remotePort: port)
            }
        let known: [SocketAddress]
        do { known = try resolve(host: uri.host, port: uri.port) } catch { throw .network(error) }
        if role == .call, let bind { try Self.check(bind, reaches: known, of: uri.host) }
        do {
            switch role {
            case .call:
                let place = try CalledPlace(known, bind: bind, localPort: uri.localPort ?? 0, rtcp: rtcp)
                return (place.socket, Array(place.addresses.dropFirst()))
            case .listen: return (try listen(bind.map { [$0] } ?? known.map(\.address), uri.port, rtcp), [])
            }
        } catch {
            throw .network(error)
        }
    }

    /// Nothing is sent from an address of one family to one of the other, but from `::`, which is both.
    private static func check(_ bind: IPAddress, reaches known: [SocketAddress], of host: String) throws(SoftphoneError) {
        let isBoth = bind.family == .v6 && bind.isUnspecified
        guard !isBoth, !known.contains(where: { $0.address.family == bind.family }) else { return }
        throw .request("\(host) cannot be reached from \(bind), in --bind; give an address of the same family, IPv4 or IPv6")
    }

    /// On the first of `addresses` that can be bound.
    ///
    /// - Throws: what is wrong with the first of them.
    func listen(
        _ addresses: [IPAddress], _ port: UInt16, _ rtcp: RTCPTransport
    ) throws(NetworkError) -> UDPLink {
        var first: NetworkError?
        for address in addresses {
            do throws(NetworkError) {
                return try UDPLink(bind: address, localPort: port, rtcp: rtcp)
            } catch {
                if first == nil { first = error }
            }
        }
        throw first ?? .hostUnknown("", reason: "no address")
    }

    /// Plays a tone and calls `onLevel` with the microphone's level in dBov five times a second until `isInterrupted`.
    public func testDevice(
        _ device: DeviceChoice, seed: UInt64 = 1, isInterrupted: () -> Bool, onLevel: (Double) -> Void
    ) throws(SoftphoneError) {
        do throws(CallError) {
            let test = try DeviceTest(unit: try device.makeUnit(voiceProcessing: false, seed: seed))
            willBegin()
            try test.run(isInterrupted: isInterrupted, onLevel: onLevel)
        } catch {
            throw SoftphoneError(error)
        }
    }
}
