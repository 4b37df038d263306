/// Numbers of one part of the signal processing that are found by measurement, not by mathematics.
///
/// The part gets them as a value with a default, so that a sweep needs no edit of the source: whoever sweeps sets them by
/// name (`set`), within the range that makes sense. In the comments of the fields stands where each number comes from:
/// *measured* names the script, a paper or an RFC is cited, *by hand* was chosen while the part was written, without a
/// sweep on record.
package protocol Tuning: Sendable, Equatable {
    /// The numbers in use.
    init()
    /// Every number, with its name and range.
    static var parameters: [TuningParameter<Self>] { get }
    /// What one range cannot say: how numbers depend on each other.
    var conflict: String? { get }
}

/// One number of a `Tuning`.
package struct TuningParameter<Group> {
    package let name: String
    /// What makes sense; a sweep beyond it is refused.
    package let range: ClosedRange<Double>
    fileprivate let read: (Group) -> Double
    fileprivate let write: (inout Group, Double) -> Void

    package init(_ name: String, _ path: WritableKeyPath<Group, Double>, _ range: ClosedRange<Double>) {
        self.init(name, range, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    package init(_ name: String, _ path: WritableKeyPath<Group, Float>, _ range: ClosedRange<Double>) {
        // Ends as the field can hold them.
        let range = Double(Float(range.lowerBound))...Double(Float(range.upperBound))
        self.init(name, range, { Double($0[keyPath: path]) }, { $0[keyPath: path] = Float($1) })
    }

    /// Whole numbers; what is set is rounded.
    package init(_ name: String, _ path: WritableKeyPath<Group, Int>, _ range: ClosedRange<Int>) {
        self.init(
            name, Double(range.lowerBound)...Double(range.upperBound), { Double($0[keyPath: path]) },
            { $0[keyPath: path] = Int($1.rounded()) })
    }

    private init(
        _ name: String, _ range: ClosedRange<Double>, _ read: @escaping (Group) -> Double,
        _ write: @escaping (inout Group, Double) -> Void
    ) {
        self.name = name
        self.range = range
        self.read = read
        self.write = write
    }

    /// The same number as one of the whole that the part belongs to.
    fileprivate func of<Whole>(_ part: String, _ path: WritableKeyPath<Whole, Group>) -> TuningParameter<Whole> {
        TuningParameter<Whole>(
            "\(part).\(name)", range, { read($0[keyPath: path]) }, { write(&$0[keyPath: path], $1) })
    }
}

/// Why a number was refused.
package enum TuningError: Error, Equatable, CustomStringConvertible {
    case unknown(name: String)
    case outOfRange(name: String, value: Double, allowed: ClosedRange<Double>)
    case conflict(String)

    package var description: String {
        switch self {
        case .unknown(let name): "there is no tuning parameter '\(name)'"
        case .outOfRange(let name, let value, let allowed):
            "tuning parameter '\(name)' is \(value), allowed are \(allowed.lowerBound) to \(allowed.upperBound)"
        case .conflict(let reason): "tuning: \(reason)"
        }
    }
}

extension Tuning {
    package var conflict: String? { nil }

    /// Sets a number by its name, such as `stretch.patience`.
    package mutating func set(_ name: String, to value: Double) throws(TuningError) {
        guard let parameter = Self.parameters.first(where: { $0.name == name }) else { throw .unknown(name: name) }
        guard parameter.range.contains(value) else {
            throw .outOfRange(name: name, value: value, allowed: parameter.range)
        }
        var changed = self
        parameter.write(&changed, value)
        try changed.validate()
        self = changed
    }

    /// A number by its name; nil where there is none.
    package func value(of name: String) -> Double? { Self.parameters.first { $0.name == name }?.read(self) }

    /// Throws where a number lies out of its range, or contradicts another.
    package func validate() throws(TuningError) {
        for parameter in Self.parameters {
            let value = parameter.read(self)
            guard parameter.range.contains(value) else {
                throw .outOfRange(name: parameter.name, value: value, allowed: parameter.range)
            }
        }
        if let conflict { throw .conflict(conflict) }
    }

    /// The numbers of a part, as those of the whole.
    package static func part<Part: Tuning>(
        _ name: String, _ path: WritableKeyPath<Self, Part>
    ) -> [TuningParameter<Self>] {
        Part.parameters.map { $0.of(name, path) }
    }
}
