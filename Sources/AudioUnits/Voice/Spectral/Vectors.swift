/// Eight values at a time, where the compiler must keep the order of scalars or cannot know that arrays are apart.
typealias Vector = SIMD8<Float>

extension Vector {
    /// Vectors that hold `count` values; arrays are padded to whole ones.
    static func count(for count: Int) -> Int { (count + 7) / 8 }
}

extension UnsafeMutablePointer where Pointee == Float {
    /// Values 8 `index` ... 8 `index` + 7.
    @inline(__always) @_noLocks
    func vector(_ index: Int) -> Vector {
        UnsafeRawPointer(self + 8 &* index).loadUnaligned(as: Vector.self)
    }

    @inline(__always) @_noLocks
    func setVector(_ index: Int, _ value: Vector) {
        UnsafeMutableRawPointer(self + 8 &* index).storeBytes(of: value, as: Vector.self)
    }
}
