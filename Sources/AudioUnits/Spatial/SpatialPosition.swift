import Glibc

/// Where a sound is, seen from the listener's head.
public struct SpatialPosition: Sendable, Equatable {
    /// Degrees from straight ahead, right positive, -180 ... 180.
    public var azimuth: Double
    /// Degrees above the ears' level, -90 ... 90.
    public var elevation: Double
    /// Metres, 0 ... 10,000.
    public var distance: Double

    public init(azimuth: Double = 0, elevation: Double = 0, distance: Double = 1) {
        self.azimuth = azimuth
        self.elevation = elevation
        self.distance = distance
    }

    func validate() throws(AudioUnitError) {
        guard (-180...180).contains(azimuth) else { throw .outOfRange(setting: "azimuth", allowed: "-180 to 180 degrees") }
        guard (-90...90).contains(elevation) else { throw .outOfRange(setting: "elevation", allowed: "-90 to 90 degrees") }
        guard (0...10_000).contains(distance) else { throw .outOfRange(setting: "distance", allowed: "0 to 10000 m") }
    }
}

/// How sound gets quieter with distance; the models and formulas of OpenAL 1.1 (specification, section 3.4), clamped.
public struct DistanceAttenuation: Sendable, Equatable {
    /// The formula that makes a factor of the distance.
    public enum Model: Sendable, CaseIterable {
        /// Not at all.
        case none
        /// reference / (reference + rolloff · (distance - reference)): with a rolloff of 1, half at double the distance.
        case inverse
        /// In a straight line: 1 - rolloff · (distance - reference) / (maximum - reference).
        case linear
        /// (distance / reference) to the power of -rolloff.
        case exponential
    }

    /// The formula; `inverse` unless said otherwise.
    public var model: Model
    /// Where there is no attenuation yet, in metres, over 0.
    public var referenceDistance: Double
    /// From where on it is not heard to get quieter, in metres, over the reference.
    public var maximumDistance: Double
    /// How fast it gets quieter, 0 or more.
    public var rolloff: Double

    public init(
        _ model: Model = .inverse, referenceDistance: Double = 1, maximumDistance: Double = 10_000, rolloff: Double = 1
    ) {
        self.model = model
        self.referenceDistance = referenceDistance
        self.maximumDistance = maximumDistance
        self.rolloff = rolloff
    }

    /// The factor at `distance` metres, 0 ... 1.
    public func gain(at distance: Double) -> Double {
        let away = min(max(distance, referenceDistance), maximumDistance)
        let gain =
            switch model {
            case .none: 1.0
            case .inverse: referenceDistance / (referenceDistance + rolloff * (away - referenceDistance))
            case .linear: 1 - rolloff * (away - referenceDistance) / (maximumDistance - referenceDistance)
            case .exponential: pow(away / referenceDistance, -rolloff)
            }
        return min(max(gain, 0), 1)
    }

    func validate() throws(AudioUnitError) {
        guard referenceDistance > 0, referenceDistance.isFinite else {
            throw .outOfRange(setting: "reference distance", allowed: "over 0 m")
        }
        guard maximumDistance > referenceDistance, maximumDistance.isFinite else {
            throw .outOfRange(setting: "maximum distance", allowed: "over the reference distance")
        }
        guard rolloff >= 0, rolloff.isFinite else { throw .outOfRange(setting: "rolloff", allowed: "0 or more") }
    }
}
