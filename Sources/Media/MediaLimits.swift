/// Sizes that bound what a call handles; larger input is a counted drop.
package enum MediaLimits {
    /// Samples pulled from a call's receive path at once, in milliseconds.
    package static let pullMilliseconds = 5
}
