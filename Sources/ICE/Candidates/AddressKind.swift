import Link

extension IPAddress {
    /// 224.0.0.0/4 or ff00::/8.
    var isMulticast: Bool { family == .v4 ? bits >> 28 == 0xe : bits >> 120 == 0xff }

    /// 255.255.255.255. The broadcast address of a subnet cannot be told.
    var isBroadcast: Bool { family == .v4 && bits == 0xffff_ffff }

    /// Nobody can be there.
    var isNowhere: Bool { isUnspecified || isMulticast || isBroadcast || family == .v4 && bits >> 24 == 0 }
}
