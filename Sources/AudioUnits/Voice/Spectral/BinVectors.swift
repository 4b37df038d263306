import DSP

/// Spectra four bins at a time. They are here, not beside `Complex`, because what comes from another module is called, bin by
/// bin, and not made part of the loop.
struct BinVector: BitwiseCopyable {
    var re: SIMD4<Float>
    var im: SIMD4<Float>

    @inline(__always) @_noLocks
    init(_ re: SIMD4<Float>, _ im: SIMD4<Float>) {
        self.re = re
        self.im = im
    }

    /// |z|² of each.
    var squares: SIMD4<Float> {
        @inline(__always) @_noLocks get { re * re + im * im }
    }
}

extension Complex {
    /// |z|².
    var square: Float {
        @inline(__always) @_noLocks get { re * re + im * im }
    }
}

extension UnsafePointer where Pointee == Complex {
    /// Bins `bin` ... `bin` + 3.
    @inline(__always) @_noLocks
    func quad(_ bin: Int) -> BinVector {
        let place = UnsafeRawPointer(self + bin)
        let a = place.loadUnaligned(as: SIMD4<Float>.self)
        let b = (place + 16).loadUnaligned(as: SIMD4<Float>.self)
        return BinVector(SIMD4(a.x, a.z, b.x, b.z), SIMD4(a.y, a.w, b.y, b.w))
    }

    /// The power of each bin.
    @_noLocks
    func squares(into powers: UnsafeMutablePointer<Float>, bins: Int) {
        for group in 0..<bins / 4 { powers.setQuad(4 &* group, quad(4 &* group).squares) }
        for bin in (bins & ~3)..<bins { powers[bin] = self[bin].square }
    }

    /// Spectrum to planes.
    @_noLocks
    func split(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, bins: Int) {
        for group in 0..<bins / 4 {
            let four = quad(4 &* group)
            re.setQuad(4 &* group, four.re)
            im.setQuad(4 &* group, four.im)
        }
        for bin in (bins & ~3)..<bins {
            re[bin] = self[bin].re
            im[bin] = self[bin].im
        }
    }
}

extension UnsafeMutablePointer where Pointee == Complex {
    /// Bins `bin` ... `bin` + 3.
    @inline(__always) @_noLocks
    func setQuad(_ bin: Int, _ four: BinVector) {
        let (re, im) = (four.re, four.im)
        let place = UnsafeMutableRawPointer(self + bin)
        place.storeBytes(of: SIMD4(re.x, im.x, re.y, im.y), as: SIMD4<Float>.self)
        (place + 16).storeBytes(of: SIMD4(re.z, im.z, re.w, im.w), as: SIMD4<Float>.self)
    }

    /// Planes to spectrum.
    @_noLocks
    func join(_ re: UnsafePointer<Float>, _ im: UnsafePointer<Float>, bins: Int) {
        for group in 0..<bins / 4 {
            setQuad(4 &* group, BinVector(re.quad(4 &* group), im.quad(4 &* group)))
        }
        for bin in (bins & ~3)..<bins {
            self[bin].re = re[bin]
            self[bin].im = im[bin]
        }
    }
}

extension UnsafePointer where Pointee == Float {
    /// Values `index` ... `index` + 3.
    @inline(__always) @_noLocks
    func quad(_ index: Int) -> SIMD4<Float> { UnsafeRawPointer(self + index).loadUnaligned(as: SIMD4<Float>.self) }
}

extension UnsafeMutablePointer where Pointee == Float {
    /// Values `index` ... `index` + 3.
    @inline(__always) @_noLocks
    func setQuad(_ index: Int, _ value: SIMD4<Float>) {
        UnsafeMutableRawPointer(self + index).storeBytes(of: value, as: SIMD4<Float>.self)
    }
}
