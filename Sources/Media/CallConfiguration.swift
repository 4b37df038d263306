import Codecs

/// What one call is made of; settled before it starts. The settings of its media are reached as if they were its own.
@dynamicMemberLookup
public struct CallConfiguration: Sendable {
    /// The call's media. With `echoes` the call sends back what is heard in place of the microphone.
    public var stream: StreamConfiguration
    /// What begins and what ends the call.
    public var policy = CallPolicy.unsignalled
    /// Digits sent as telephone events once the call has begun.
    public var digits = ""

    /// A call with `codec` and every other value at its default.
    public init(codec: Codec, seed: UInt64) { self.init(stream: StreamConfiguration(codec: codec, seed: seed)) }

    /// A call with these media and every other value at its default.
    public init(stream: StreamConfiguration) { self.stream = stream }

    /// What follows from the settings of the call's media.
    public subscript<Value>(dynamicMember path: KeyPath<StreamConfiguration, Value>) -> Value { stream[keyPath: path] }

    /// A setting of the call's media.
    public subscript<Value>(dynamicMember path: WritableKeyPath<StreamConfiguration, Value>) -> Value {
        get { stream[keyPath: path] }
        set { stream[keyPath: path] = newValue }
    }
}
