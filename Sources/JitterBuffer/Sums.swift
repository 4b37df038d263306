/// Sums over samples, sixteen at a time: a chain of single additions would wait for each of them.
enum Sums {
    /// Sum of a[i] * b[i].
    static func products(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        var sums = SIMD16<Float>.zero
        var index = 0
        while index &+ 16 <= count {
            sums += vector(a + index) * vector(b + index)
            index &+= 16
        }
        var sum = total(sums)
        while index < count {
            sum += a[index] * b[index]
            index &+= 1
        }
        return sum
    }

    /// Sum of squares.
    static func energy(_ a: UnsafePointer<Float>, count: Int) -> Float { products(a, a, count: count) }

    @inline(__always)
    private static func vector(_ samples: UnsafePointer<Float>) -> SIMD16<Float> {
        UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<Float>.self)
    }

    @inline(__always)
    private static func total(_ sums: SIMD16<Float>) -> Float {
        let eight = sums.lowHalf + sums.highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }
}

/// Energy of a stretch that moves on sample by sample. In double precision: what a loud sound leaves behind when it is taken
/// out again lies far below the quietest one.
struct SlidingEnergy {
    private var start: UnsafePointer<Float>
    private let count: Int
    private var sum: Double

    init(_ start: UnsafePointer<Float>, count: Int) {
        self.start = start
        self.count = count
        var sums = (0.0, 0.0, 0.0, 0.0)
        var index = 0
        func square(_ index: Int) -> Double { Double(start[index]) * Double(start[index]) }
        while index &+ 4 <= count {
            sums.0 += square(index)
            sums.1 += square(index &+ 1)
            sums.2 += square(index &+ 2)
            sums.3 += square(index &+ 3)
            index &+= 4
        }
        while index < count {
            sums.0 += square(index)
            index &+= 1
        }
        sum = (sums.0 + sums.1) + (sums.2 + sums.3)
    }

    var value: Float { sum < 0 ? 0 : Float(sum) }

    /// Moves on by one sample.
    mutating func advance() {
        let (old, new) = (Double(start[0]), Double(start[count]))
        sum += new * new - old * old
        start += 1
    }
}
