import Link
import Network

/// Addresses of this machine at which a call may be reached, and whether they have become others.
struct OwnAddresses {
    /// As they were last seen; where the call keeps to one, that one.
    private(set) var all: [IPAddress]
    private let bind: IPAddress?
    /// nil: the call keeps to one address, or the kernel does not tell.
    private let watch: AddressWatch?
    /// They are others, and nobody has taken that yet.
    private var hasMoved = false

    /// - Parameter bind: address of the call's socket; nil: all.
    init(bind: IPAddress?) {
        self.bind = bind
        let isBound = bind.map { !$0.isUnspecified } ?? false
        watch = isBound ? nil : AddressWatch()
        all = isBound ? [bind].compactMap(\.self) : Self.present(bind)
    }

    /// Readable when there may be news.
    var fileDescriptors: [Int32] { watch.map { [$0.fileDescriptor] } ?? [] }

    /// Looks whether they are others.
    /// - Parameter canGo: whether the other side can be reached from here.
    /// - Returns: all of them, once after a change, as soon as the other side can be reached; nil: nothing is new.
    mutating func takeChange(_ canGo: () -> Bool) -> [IPAddress]? {
        if watch?.takeNews() == true {
            let present = Self.present(bind)
            hasMoved = hasMoved || Self.ways(present) != Self.ways(all)
            all = present
        }
        guard hasMoved, !Self.ways(all).isEmpty, canGo() else { return nil }
        hasMoved = false
        return all
    }

    /// A socket of IPv4 alone does not hear at the others.
    private static func present(_ bind: IPAddress?) -> [IPAddress] {
        machineAddresses().filter { bind?.family != .v4 || $0.family == .v4 }
    }

    /// Those that lead somewhere: a container that comes or goes, with an interface of its own, is no other network.
    private static func ways(_ addresses: [IPAddress]) -> Set<IPAddress> {
        Set(addresses.filter { !$0.isLinkLocal && !$0.isLoopback })
    }
}
