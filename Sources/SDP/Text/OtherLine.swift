/// A line whose content yodel does not use: `u=`, `e=`, `p=`, `r=`, `z=`, `k=`, or a letter it does not know.
public struct OtherLine: Hashable, Sendable {
    /// ASCII letter before the equals sign.
    public var letter: UInt8
    public var value: String

    public init(letter: UInt8, value: String) {
        self.letter = letter
        self.value = value
    }
}
