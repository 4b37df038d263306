/// Which packet length to send: the one the other side asks for (`ptime`), if the encoder can and `maxptime` allows.
///
/// - Returns: milliseconds; `wanted` when the encoder has no list.
func packetTime(sending packetTimes: [Double], wanted: Double, minimum: Double?, maximum: Double?) -> Double {
    let allowed = packetTimes.filter { $0 <= maximum ?? .infinity && $0 >= minimum ?? 0 }
    // A limit that nothing keeps to is better broken by the shortest packet than by silence.
    guard let shortest = allowed.first ?? packetTimes.first else { return wanted }
    return allowed.last { $0 <= wanted } ?? shortest
}
