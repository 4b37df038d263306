import Glibc

/// How a sound from one direction differs at the two ears.
enum HeadModel {
    /// Radius of the average head, in metres.
    static let radius = 0.0875
    /// Speed of sound, in metres a second.
    static let speedOfSound = 343.0
    /// The farthest ear's delay behind the nearest point of the head, in seconds.
    static let longestDelay = radius / speedOfSound * (1 + .pi / 2)

    /// What one ear hears: a delay in seconds, a high-frequency gain against low frequencies, a gain.
    struct Ear: Equatable {
        var delay = 0.0
        var shadow = 1.0
        var gain = 1.0
    }

    /// The spherical head of C. P. Brown and R. O. Duda, "A structural model for binaural sound synthesis" (IEEE Trans.
    /// Speech and Audio Processing 6(5), 1998): delay along the head's surface (Woodworth) and a one-pole, one-zero shadow.
    ///
    /// Elevation counts by the angle to the ears' axis; the outer ear's echoes are left out, so above and below, front and
    /// back sound alike.
    static func spherical(_ position: SpatialPosition) -> (left: Ear, right: Ear) {
        let lateral = rightwards(position)
        return (ear(cosine: -lateral), ear(cosine: lateral))
    }

    /// The sine and cosine law over azimuth (constant power); no delay, no shadow. For loudspeakers.
    static func panned(_ position: SpatialPosition) -> (left: Ear, right: Ear) {
        let angle = (rightwards(position) + 1) * .pi / 4
        return (Ear(gain: cos(angle)), Ear(gain: sin(angle)))
    }

    /// The direction's part along the axis from the left to the right ear.
    private static func rightwards(_ position: SpatialPosition) -> Double {
        min(max(cos(position.elevation * .pi / 180) * sin(position.azimuth * .pi / 180), -1), 1)
    }

    private static func ear(cosine: Double) -> Ear {
        let angle = acos(cosine)
        let turn = radius / speedOfSound
        // From the head's nearest point, so that no delay is negative.
        let delay = angle < .pi / 2 ? turn * (1 - cosine) : turn * (1 + angle - .pi / 2)
        let least = 0.1
        let deepest = 150.0 / 180 * Double.pi
        let shadow = (1 + least / 2) + (1 - least / 2) * cos(angle / deepest * .pi)
        return Ear(delay: delay, shadow: shadow, gain: 1)
    }
}
