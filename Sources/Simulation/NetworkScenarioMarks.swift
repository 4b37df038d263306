extension NetworkScenario {
    /// The marks of this network: measured, with a little room. docs/commands.md repeats them.
    public var marks: Marks {
        switch self {
        case .clean: Marks(delayMilliseconds: 35, concealedMilliseconds: 0)
        case .wifiBurst: Marks(delayMilliseconds: 95, concealedMilliseconds: 400)
        case .wifiRoam: Marks(delayMilliseconds: 52, concealedMilliseconds: 500)
        case .bufferbloat: Marks(delayMilliseconds: 245, concealedMilliseconds: 300)
        case .lteHandover: Marks(delayMilliseconds: 65, concealedMilliseconds: 250)
        case .randomLoss: Marks(delayMilliseconds: 65, concealedMilliseconds: 900)
        case .burstLoss: Marks(delayMilliseconds: 90, concealedMilliseconds: 1300)
        case .routeChange: Marks(delayMilliseconds: 125, concealedMilliseconds: 400)
        case .drift: Marks(delayMilliseconds: 85, concealedMilliseconds: 0)
        }
    }
}
