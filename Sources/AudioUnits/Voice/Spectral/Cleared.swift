import DSP

/// `count` zeros, for a processor that allocates in `init` and frees in `deinit`.
func cleared(_ count: Int) -> UnsafeMutablePointer<Float> {
    let place = UnsafeMutablePointer<Float>.allocate(capacity: count)
    place.initialize(repeating: 0, count: count)
    return place
}

/// `bins` bins of silence.
func clearedSpectrum(_ bins: Int) -> UnsafeMutablePointer<Complex> {
    let place = UnsafeMutablePointer<Complex>.allocate(capacity: bins)
    place.initialize(repeating: Complex(), count: bins)
    return place
}

/// Adds up `count` values.
@_noLocks
package func sum(_ values: UnsafePointer<Float>, count: Int) -> Float {
    var total: Float = 0
    for index in 0..<count { total += values[index] }
    return total
}
