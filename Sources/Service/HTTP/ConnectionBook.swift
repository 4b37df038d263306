import Link

/// Who is connected, and who has to go when strangers come in crowds. It knows neither sockets nor clocks.
///
/// A connection is a stranger's until a request on it bore the token. Strangers have few places, and the next one to come always
/// gets one: the oldest of its own source makes room, or where all places are taken the oldest of the source that has most. So a
/// crowd pushes out itself, and whoever bears the token is in as soon as his first request is read. Bearers are never pushed out.
package struct ConnectionBook<Handle> {
    /// Connections at most.
    package struct Limits: Sendable, Equatable {
        package var strangers = 256
        package var strangersPerSource = 64
        package var bearers = 1024

        package init() {}

        /// Half of the descriptors that the process may have are for calls.
        package init(descriptors: Int) {
            bearers = min(bearers, max(8, descriptors / 4))
            strangers = min(strangers, max(8, descriptors / 4))
            strangersPerSource = min(strangersPerSource, max(4, strangers / 2))
        }
    }

    private struct Stranger {
        let source: UInt128
        let handle: Handle
    }

    private let limits: Limits
    /// By number: the lowest is the oldest.
    private var strangers: [UInt64: Stranger] = [:]
    private var bearers: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package var count: Int { strangers.count + bearers.count }

    /// Somebody comes.
    /// - Parameter handle: handed out again when this connection has to go.
    /// - Returns: the number it has from now on, and who has to go for it.
    package mutating func enter(_ handle: Handle, from source: IPAddress) -> (number: UInt64, leaving: Handle?) {
        let source = source.source
        var leaving: Handle?
        if strangers.values.count(where: { $0.source == source }) >= limits.strangersPerSource {
            leaving = removeOldest(of: source)
        } else if strangers.count >= limits.strangers {
            let counts = strangers.values.reduce(into: [UInt128: Int]()) { $0[$1.source, default: 0] += 1 }
            leaving = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }.flatMap { removeOldest(of: $0.key) }
        }
        lastNumber += 1
        strangers[lastNumber] = Stranger(source: source, handle: handle)
        return (lastNumber, leaving)
    }

    private mutating func removeOldest(of source: UInt128) -> Handle? {
        let oldest = strangers.filter { $0.value.source == source }.keys.min()
        return oldest.flatMap { strangers.removeValue(forKey: $0)?.handle }
    }

    /// A request on it bore the token.
    /// - Returns: whether it may stay; false: there are too many already, or it is gone.
    package mutating func trust(_ number: UInt64) -> Bool {
        if bearers.contains(number) { return true }
        guard bearers.count < limits.bearers, strangers.removeValue(forKey: number) != nil else { return false }
        bearers.insert(number)
        return true
    }

    package mutating func leave(_ number: UInt64) {
        strangers[number] = nil
        bearers.remove(number)
    }
}

extension IPAddress {
    /// What one owner has of addresses: one of IPv4, a /64 of IPv6.
    var source: UInt128 { family == .v4 ? bits : bits & ~UInt128(UInt64.max) | 1 << 127 }
}
