import DSP
import Testing

@Suite struct BesselTests {
    @Test(
        "I0 is that of Abramowitz and Stegun, table 9.8",
        arguments: [(0, 1), (1, 1.2660658777520), (5, 27.239871823604)] as [(Double, Double)])
    func knownValues(x: Double, value: Double) {
        #expect(abs(besselI0(x) / value - 1) < 1e-12)
    }
}
