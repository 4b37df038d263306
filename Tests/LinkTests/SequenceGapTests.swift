import Link
import Testing

/// RFC 3550 appendix A.1.
@Suite struct SequenceGapTests {
    @Test(
        "A stream goes on with the next number or one less than 3000 further, also where the numbers begin anew",
        arguments: [
            (10, 11, true), (10, 3009, true), (10, 3010, false), (10, 10, false), (10, 9, false), (65_535, 0, true),
            (65_535, 2998, true), (65_535, 2999, false),
        ] as [(UInt16, UInt16, Bool)])
    func goesOn(sequence: UInt16, next: UInt16, isContinued: Bool) {
        #expect(SequenceGap.goesOn(from: sequence, to: next) == isContinued)
    }
}
