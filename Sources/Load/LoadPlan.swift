import Codecs
import Link
import Network
import Settings
import Signalling
import Softphone

/// The calls that are to be made: whom, how many, how fast, how long, with what.
struct LoadPlan {
    /// How the other side is reached.
    enum Way {
        /// There is nothing to agree on; a path for each codec.
        case raw([LoadPath])
        case sip(SIPRequest)
    }

    /// How many calls, and how they come.
    struct Amount {
        /// Calls in all.
        let calls: Int
        /// New calls a second.
        let rate: Double
        /// How long each lasts, in seconds.
        let holdSeconds: Double
    }

    /// Calls that one process makes: each has a port of its own, and those for whom the kernel chooses are some 28,000.
    static let callsAllowed = 1...10_000

    let way: Way
    /// Any address of the family of sockets that calls have.
    let towards: SocketAddress
    let mix: CodecMix
    let settings: EncoderSettings
    let amount: Amount
    let speechPath: String?
    let seed: UInt64
    let bind: IPAddress?

    var calls: Int { amount.calls }
    var rate: Double { amount.rate }
    var holdSeconds: Double { amount.holdSeconds }

    /// Calls without signalling.
    /// - Throws: what makes no sense, or a host that is unknown.
    init(
        _ uri: CallURI, _ media: MediaRequest, _ amount: Amount, mix: CodecMix? = nil, speechPath: String?
    ) throws(SoftphoneError) {
        try Self.check(amount)
        if uri.takesAnyCodec {
            throw .request("a load says in which codecs it calls; leave out codec=any, for several give --mix")
        }
        if mix != nil, uri.codec != nil || uri.payloadType != nil {
            throw .request("--mix says in which codecs calls are made; leave out codec and pt of the URI, or --mix")
        }
        if uri.localPort != nil { throw .request("each call of a load has a port of its own; leave out local") }
        let codec = uri.codec ?? media.codec
        let path = try LoadPath(uri, codec, bind: media.bind)
        var settings = media.encoder
        if let milliseconds = uri.packetMilliseconds { settings.frameMilliseconds = milliseconds }
        let paths = mix?.codecs.map { path.carrying($0) } ?? [path]
        self.init(.raw(paths), towards: path.remote, mix ?? CodecMix(codec), settings, media, amount, speechPath)
    }

    /// Calls by SIP, whose media are plain: what is measured is to be found in the sound.
    /// - Parameters:
    ///   - target: `sip:`, `sips:` or, with an account, `tel:`.
    ///   - account: as whom; nil: as nobody in particular.
    /// - Throws: what makes no sense.
    init(
        calling target: String, as account: AccountSettings?, _ access: SignallingAccess, _ media: MediaRequest,
        _ amount: Amount, mix: CodecMix? = nil, speechPath: String?
    ) throws(SoftphoneError) {
        try Self.check(amount)
        let mix = mix ?? CodecMix(media.codec)
        var request = SIPRequest(.call(target), codecs: mix.codecs, media: media)
        (request.account, request.access, request.encryption, request.product) = (account, access, .off, "yodel")
        try request.check()
        let towards = Self.anyAddress
        self.init(.sip(request), towards: towards, mix, media.encoder, media, amount, speechPath)
    }

    private init(
        _ way: Way, towards: SocketAddress, _ mix: CodecMix, _ settings: EncoderSettings, _ media: MediaRequest,
        _ amount: Amount, _ speechPath: String?
    ) {
        (self.way, self.towards, self.mix, self.amount, self.speechPath) = (way, towards, mix, amount, speechPath)
        var settings = settings
        // A pause that is not sent would be taken for loss.
        settings.dtx = false
        self.settings = settings
        seed = media.seed ?? .random(in: .min ... .max)
        bind = media.bind
    }

    /// The place of that call's codec among those of `mix`.
    func codecIndex(ofCall number: Int) -> Int { mix.index(ofCall: number, seed: seed) }

    /// What calls say in each codec.
    func speeches() throws(SoftphoneError) -> [LoadSpeech] {
        try mix.codecs.map { codec throws(SoftphoneError) in
            try LoadSpeech(codec, settings, path: speechPath, seed: seed)
        }
    }

    /// Sockets of both families, where there are two.
    private static var anyAddress: SocketAddress {
        let v6 = SocketAddress(IPAddress(v6: 0), port: 0)
        return (try? UDPSocket(binding: v6)) == nil ? SocketAddress(IPAddress(v4: 0), port: 0) : v6
    }

    private static func check(_ amount: Amount) throws(SoftphoneError) {
        guard callsAllowed.contains(amount.calls) else {
            throw .request("--calls \(amount.calls) is out of range; give 1 to \(callsAllowed.upperBound)")
        }
        guard amount.rate > 0, amount.rate <= 1000 else {
            throw .request("--rate \(amount.rate) is out of range; give up to 1000 calls a second")
        }
        guard amount.holdSeconds >= 1, amount.holdSeconds <= 86_400 else {
            throw .request("--hold \(amount.holdSeconds) is out of range; give 1 to 86400 seconds")
        }
    }

    /// Who is called, as it is told.
    var remote: String {
        switch way {
        case .raw(let paths): "\(paths[0].remote)"
        case .sip(let request): if case .call(let target) = request.purpose { target } else { "" }
        }
    }
}
