/// The payload types that this side has announced for a media line. A number keeps its meaning for the whole session
/// (RFC 3264 section 8.3.2).
struct PayloadNumbers: Sendable {
    /// In the order of their first use.
    private(set) var bound: [(number: UInt8, format: AudioFormat)] = []

    func format(of number: UInt8) -> AudioFormat? { bound.first { $0.number == number }?.format }

    /// The number under which `format` is announced: `theirs` when that is free or means the same already, else the
    /// last one it had, else the preferred, the static or a free one. nil: all are taken.
    mutating func number(
        for format: AudioFormat, theirs: UInt8? = nil, preferred: UInt8? = nil, avoiding reserved: Set<UInt8>
    ) -> UInt8? {
        if let theirs, isUsable(theirs, for: format) { return bind(theirs, format) }
        if let known = bound.last(where: { $0.format == format }) { return known.number }
        for wanted in [preferred, format.staticPayloadType].compactMap(\.self) where isUsable(wanted, for: format) {
            return bind(wanted, format)
        }
        // 96 to 127, then 35 to 63 (RFC 3551 section 3); 64 to 95 are RTCP's when a port is shared (RFC 5761).
        for free in Array(96...127 as ClosedRange<UInt8>) + Array(35...63)
        where !reserved.contains(free) && isUsable(free, for: format) {
            return bind(free, format)
        }
        return nil
    }

    private func isUsable(_ number: UInt8, for format: AudioFormat) -> Bool {
        guard number < 128, !(64...95).contains(number) else { return false }
        return bound.allSatisfy { $0.number != number || $0.format == format }
    }

    private mutating func bind(_ number: UInt8, _ format: AudioFormat) -> UInt8 {
        bound.removeAll { $0.number == number }
        bound.append((number, format))
        return number
    }
}
