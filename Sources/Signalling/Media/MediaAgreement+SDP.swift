import Codecs
import Link
import RTP
import SDP

extension MediaAgreement {
    /// What SDP has brought about; nil where it names a codec that is not known here, or no usable address or
    /// key.
    package init?(_ audio: AudioInForce) {
        let sending = audio.sending
        guard let codec = Codec(format: sending.codec.format) else { return nil }
        self.codec = codec
        sampleRate = codec.clock == .sampleRate ? sending.codec.format.clockRate : codec.sampleRate
        payloadType = sending.payloadType
        packetMilliseconds = Int(sending.packetTime.rounded())
        maximumBitrate = sending.maximumBitRate
        rtcpBandwidth = audio.rtcpBandwidth
        telephoneEvents = sending.telephoneEvent.map {
            TelephoneEvents(payloadType: $0.payloadType, clockRate: $0.clockRate)
        }
        comfortNoise = sending.comfortNoise
        redundancy = sending.redundancy.map { Redundancy(payloadType: $0.payloadType, copies: $0.copies) }
        remote = audio.remote.flatMap(SocketAddress.init)
        remoteControl = audio.remoteControl.flatMap(SocketAddress.init)
        local = audio.local.flatMap(SocketAddress.init)
        if audio.remote != nil, remote == nil { return nil }
        sharesPort = audio.rtcpMux
        ice = audio.ice
        levels = LevelNumbers(received: audio.levels.received, sent: audio.levels.sent)
        encryption = audio.security.flatMap(MediaEncryption.init)
        if audio.security != nil, encryption == nil { return nil }
        sends = audio.direction.sends
        receives = audio.direction.receives
        isHeldByPeer = audio.isHeldByPeer
        isHeldByUs = !audio.wantedDirection.receives
        remoteSource = audio.remoteSSRC
        received = PayloadTypeTable()
        receivedCodecs = [:]
        // The present agreement's numbers win over earlier ones. In order: tables that say the same are the same.
        let formats = audio.receivingEarlier.merging(audio.receiving, uniquingKeysWith: { $1 }).sorted { $0.key < $1.key }
        for (number, format) in formats {
            received.setClockRate(format.clockRate, of: number)
            switch format.role {
            case .codec:
                guard let codec = Codec(format: format) else { continue }
                received[number] = .audio
                receivedCodecs[number] = codec
            case .telephoneEvent: received[number] = .telephoneEvent
            case .comfortNoise: received[number] = .comfortNoise
            case .redundancy: received[number] = .redundancy
            }
        }
    }
}

extension SocketAddress {
    /// nil: not numeric.
    init?(_ endpoint: MediaEndpoint) {
        guard let address = try? IPAddress(endpoint.address) else { return nil }
        self.init(address, port: endpoint.port)
    }
}

extension Codec {
    /// The codec whose packets an SDP format describes; nil: none of ours.
    init?(format: AudioFormat) {
        let found = Codec.allCases.first { codec in
            guard codec.encodingName.lowercased() == format.encodingName.lowercased(), codec.channels == format.channels
            else { return false }
            switch codec.clock {
            case .fixed(let rate): return rate == format.clockRate
            case .sampleRate: return codec.runs(at: format.clockRate)
            }
        }
        guard let found else { return nil }
        self = found
    }
}
