import Codecs
import Settings
import Softphone

extension MediaRequest {
    /// A static payload type in a URI names its codec, whatever environment and file say; it must not contradict `--codec`.
    mutating func chooseCodec(by uris: [CallURI], _ configuration: Configuration) throws(CommandError) {
        var named: Set<Codec> = []
        for uri in uris {
            guard let number = uri.payloadType, number < Codec.firstDynamicPayloadType else {
                named.insert(codec)
                continue
            }
            guard let found = Codec.withStaticPayloadType(number) else {
                throw CommandError(
                    .usage,
                    "payload type \(number) is of none of our codecs, in pt=\(number); give one of "
                        + "\(Codec.staticPayloadTypes), or a number from 96 on with --codec")
            }
            if case .flag = configuration.source(of: \.media.codec), found != codec {
                throw CommandError(
                    .usage,
                    "payload type \(number) is \(found.name), in pt=\(number); leave out --codec \(codec.name) "
                        + "or pt=\(number)")
            }
            named.insert(found)
        }
        guard named.count <= 1 else {
            let names = named.map(\.name).sorted().joined(separator: ", ")
            throw CommandError(.usage, "the URIs differ in codec (\(names)); give all parties of a conference the same")
        }
        if let only = named.first { codec = only }
    }
}

extension Codec {
    /// The codecs whose payload types RFC 3551 fixes, as messages list them.
    fileprivate static var staticPayloadTypes: String {
        allCases.filter(\.hasStaticPayloadType).map { "\($0.defaultPayloadType) (\($0.name))" }.joined(separator: ", ")
    }
}
