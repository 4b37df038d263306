import Foundation

/// A sine of `frequency` Hz.
public func tone(_ frequency: Double, rate: Double, level: Float = 0.5) -> @Sendable (Int) -> Float {
    { level * Float(sin(2 * Double.pi * frequency * Double($0) / rate)) }
}

/// Part of a signal's power that lies at `frequency`, 0...1 (correlation with sine and cosine).
public func tonePart(_ samples: some Collection<Float>, frequency: Double, rate: Double) -> Double {
    var (real, imaginary, power) = (0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
        let angle = 2 * Double.pi * frequency * Double(index) / rate
        real += Double(sample) * cos(angle)
        imaginary += Double(sample) * sin(angle)
        power += Double(sample) * Double(sample)
    }
    guard power > 0 else { return 0 }
    return (real * real + imaginary * imaginary) * 2 / (power * Double(samples.count))
}

/// A new directory that the caller removes.
public func temporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
