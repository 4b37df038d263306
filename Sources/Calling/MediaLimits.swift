/// Sizes that bound what a call handles; larger input is a counted drop.
package enum MediaLimits {
    /// Largest payload: 200 ms of L16 at 16 kHz.
    package static let payloadBytes = 6400
    /// Largest datagram sent or accepted.
    package static let packetBytes = payloadBytes + 128
    /// Samples pulled from a call's receive path at once, in milliseconds.
    package static let pullMilliseconds = 5
}
