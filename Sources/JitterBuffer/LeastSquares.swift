/// A straight line through points, by least squares.
struct LeastSquares {
    let slope: Double
    /// Mean square by which the points lie beside it.
    let residual: Double
    /// Sum of squares of their distances in x from their middle.
    let square: Double
    private let middle: (x: Double, y: Double)

    /// y on the line.
    func value(at x: Double) -> Double { middle.y + slope * (x - middle.x) }

    /// - Returns: nil where no line is known.
    init?(count: Int, _ point: (Int) -> (x: Double, y: Double)) {
        guard count > 2 else { return nil }
        var mean = (x: 0.0, y: 0.0)
        for index in 0..<count {
            let point = point(index)
            mean.x += point.x / Double(count)
            mean.y += point.y / Double(count)
        }
        var product = 0.0
        var total = 0.0
        var square = 0.0
        for index in 0..<count {
            let (x, y) = (point(index).x - mean.x, point(index).y - mean.y)
            product += x * y
            square += x * x
            total += y * y
        }
        guard square > 0 else { return nil }
        (slope, self.square, middle) = (product / square, square, mean)
        residual = max(0, total - product / square * product) / Double(count - 2)
    }
}
