import Glibc
import Testing

import DSP

@Suite("Logarithm, power and root for render threads")
struct FastMathTests {
    @Test("The logarithm is that of the C library to 0.0001")
    func logarithm() {
        for step in -1200...1200 {
            let x = Float(pow(2, Double(step) / 10 * 0.999))
            #expect(abs(FastMath.log2(x) - Glibc.log2(x)) < 1e-4, "\(x)")
        }
    }

    @Test("The power is that of the C library to 0.01 %")
    func power() {
        for step in -1250...1260 {
            let x = Float(step) / 10.1
            #expect(abs(FastMath.exp2(x) / Glibc.exp2(x) - 1) < 1e-4, "\(x)")
        }
    }

    @Test("The root is that of the processor to 0.0001 %; what has none has 0")
    func root() {
        for step in -120...120 {
            let x = Float(pow(2, Double(step) * 0.97))
            #expect(abs(FastMath.squareRoot(x) / x.squareRoot() - 1) < 1e-6, "\(x)")
        }
        for x in [0, -1, .nan, -.infinity] as [Float] { #expect(FastMath.squareRoot(x) == 0, "\(x)") }
    }

    @Test("What has no logarithm, or too large a power, gives a number")
    func badInput() {
        for x in [0, -1, .nan, -.infinity, Float.leastNonzeroMagnitude] { #expect(abs(FastMath.log2(x) + 126) < 1e-4, "\(x)") }
        for x in [Float.infinity, 1000] { #expect(FastMath.exp2(x) > 1e38) }
        for x in [-Float.infinity, -1000, .nan] { #expect((0...1.2e-38).contains(FastMath.exp2(x)), "\(x)") }
    }
}
