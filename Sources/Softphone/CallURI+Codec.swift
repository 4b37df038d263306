import Codecs
import Settings

extension CallURI {
    /// A static payload type in a URI names its codec, whatever environment and file say; it must not contradict `codec=` or
    /// `--codec`.
    package mutating func chooseCodec(_ configuration: Configuration) throws(SoftphoneError) {
        guard let number = payloadType, number < Codec.firstDynamicPayloadType else { return }
        guard let found = Codec.withStaticPayloadType(number) else {
            throw SoftphoneError.request(
                "payload type \(number) is of none of our codecs, in pt=\(number); give one of "
                    + "\(Codec.staticPayloadTypes), or a number from 96 on with --codec")
        }
        if let codec, found != codec {
            throw SoftphoneError.request(
                "payload type \(number) is \(found.name), in pt=\(number); leave out codec=\(codec.name) or pt=\(number)")
        }
        if codec == nil, case .flag = configuration.source(of: \.media.codec), found != configuration[\.media.codec] {
            throw SoftphoneError.request(
                "payload type \(number) is \(found.name), in pt=\(number); leave out --codec "
                    + "\(configuration[\.media.codec].name) or pt=\(number)")
        }
        codec = found
    }
}

extension Codec {
    /// The codecs whose payload types RFC 3551 fixes, as messages list them.
    fileprivate static var staticPayloadTypes: String {
        allCases.filter(\.hasStaticPayloadType).map { "\($0.defaultPayloadType) (\($0.name))" }.joined(separator: ", ")
    }
}
