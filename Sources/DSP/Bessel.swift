/// Modified Bessel function of the first kind, order 0, by its power series: what a Kaiser window is made of.
package func besselI0(_ x: Double) -> Double {
    var (term, sum) = (1.0, 1.0)
    for k in 1...40 {
        term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
        sum += term
    }
    return sum
}
