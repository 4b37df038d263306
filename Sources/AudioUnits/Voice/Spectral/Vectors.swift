/// Eight values at a time, where the compiler must keep the order of scalars or cannot know that arrays are apart.
typealias Vector = SIMD8<Float>

extension Vector {
    /// Vectors that hold `count` values; arrays are padded to whole ones.
    static func count(for count: Int) -> Int { (count + 7) / 8 }

    /// The sum of all eight.
    @inline(__always) @_noLocks
    func total() -> Float {
        let four = lowHalf + highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }

    /// Square roots as `FastMath` has them.
    @inline(__always) @_noLocks
    func squareRoots() -> Vector {
        let x = replacing(with: .leastNormalMagnitude, where: self .< .leastNormalMagnitude)
        let bits = unsafeBitCast(x, to: SIMD8<UInt32>.self)
        var y = unsafeBitCast(SIMD8<UInt32>(repeating: 0x5F37_5A86) &- (bits &>> 1), to: Vector.self)
        let half = 0.5 * x
        y *= 1.5 - half * y * y
        y *= 1.5 - half * y * y
        y *= 1.5 - half * y * y
        return x * y
    }

    /// 2 to the power of each as `FastMath` has it.
    @inline(__always) @_noLocks
    func exp2s() -> Vector {
        let low = replacing(with: -126, where: self .< -126)
        let limited = low.replacing(with: 127, where: low .> 127)
        let shifted = limited + 12_582_912
        let exponents = unsafeBitCast(shifted, to: SIMD8<UInt32>.self) &- 0x4B40_0000
        let f: Vector = (limited - (shifted - 12_582_912)) * Float(0.693_147_2)
        let square: Vector = f * f
        let curve: Vector = 0.5 + f * Float(1.0 / 6) + square * Float(1.0 / 24)
        let series: Vector = 1 + f + square * curve
        return unsafeBitCast((exponents &+ 127) &<< 23, to: Vector.self) * series
    }
}

extension UnsafePointer where Pointee == Float {
    /// Values 8 `index` ... 8 `index` + 7.
    @inline(__always) @_noLocks
    func vector(_ index: Int) -> Vector {
        UnsafeRawPointer(self + 8 &* index).loadUnaligned(as: Vector.self)
    }
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
