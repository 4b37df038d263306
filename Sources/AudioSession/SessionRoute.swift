/// Where the session's sound comes from and goes to.
public struct SessionRoute: Sendable, Equatable {
    public var inputs: [AudioPort]
    public var outputs: [AudioPort]

    public init(inputs: [AudioPort] = [], outputs: [AudioPort] = []) { (self.inputs, self.outputs) = (inputs, outputs) }
}

/// Why a route is no longer what it was.
public enum RouteChangeReason: String, Sendable, CaseIterable {
    /// A port came that is wanted more than the present one.
    case newDevice = "new_device"
    /// The port in use went away.
    case oldDeviceGone = "old_device_gone"
    /// Another category, or activation.
    case categoryChange = "category_change"
    /// A program asked for it: the speaker override, another preference, or the person moved the stream in a mixer.
    case override
    /// The sound server came back, or the machine woke.
    case wake
    /// Nothing is there that the category could use.
    case noSuitableRoute = "no_suitable_route"
    /// The same port, at another rate or with other channels.
    case configurationChange = "configuration_change"
}

/// One change of route.
public struct RouteChange: Sendable, Equatable {
    public var reason: RouteChangeReason
    public var previous: SessionRoute
    public var current: SessionRoute

    public init(reason: RouteChangeReason, previous: SessionRoute, current: SessionRoute) {
        (self.reason, self.previous, self.current) = (reason, previous, current)
    }
}
