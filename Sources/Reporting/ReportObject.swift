/// A name that `--assert` can compare, and with what.
public struct ComparablePath: Sendable, Equatable {
    /// What can stand on the other side of the operator.
    public enum Kind: Sendable { case number, flag }

    /// Dotted, such as `ledger_ms.sum`.
    public var path: String
    public var kind: Kind

    public init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The same value seen from the object `name` around it.
    func below(_ name: String) -> ComparablePath { ComparablePath("\(name).\(path)", kind) }
}

/// One row of an object's table: the name that scripts read, and how to get its value.
public struct ReportField<Root: Sendable>: Sendable {
    /// The name in JSON.
    let name: String
    /// The paths under which `--assert` can reach a number or a truth value here.
    let comparablePaths: [ComparablePath]
    /// The value, or `nil` to leave the name out because it is not known.
    let value: @Sendable (Root) -> JSONValue?

    /// A figure with `decimals` digits after the point.
    static func number(
        _ name: String, decimals: Int, orNull: Bool = false, _ get: @escaping @Sendable (Root) -> Double?
    ) -> ReportField {
        ReportField(name: name, comparablePaths: [ComparablePath(name, .number)]) { root in
            get(root).map { .number($0, decimals: decimals) } ?? (orNull ? .null : nil)
        }
    }

    /// A count.
    static func count(
        _ name: String, orNull: Bool = false, _ get: @escaping @Sendable (Root) -> Int?
    ) -> ReportField {
        ReportField(name: name, comparablePaths: [ComparablePath(name, .number)]) { root in
            get(root).map { .integer($0) } ?? (orNull ? .null : nil)
        }
    }

    /// A truth value.
    static func flag(_ name: String, _ get: @escaping @Sendable (Root) -> Bool?) -> ReportField {
        ReportField(name: name, comparablePaths: [ComparablePath(name, .flag)]) { root in
            get(root).map { .boolean($0) }
        }
    }

    /// A text, which cannot be compared with a number.
    static func text(_ name: String, _ get: @escaping @Sendable (Root) -> String?) -> ReportField {
        ReportField(name: name, comparablePaths: []) { root in get(root).map { .string($0) } }
    }

    /// Counts or amounts under names that only the run decides, such as the reasons of drops; left out when empty.
    static func table(_ name: String, _ get: @escaping @Sendable (Root) -> [String: JSONValue]) -> ReportField {
        ReportField(name: name, comparablePaths: []) { root in
            let entries = get(root).sorted { $0.key < $1.key }
            return entries.isEmpty ? nil : .object(entries.map { JSONMember($0.key, $0.value) })
        }
    }

    /// A nested object with its own table; left out when nothing in it is known.
    static func object<Part: ReportObject>(
        _ name: String, _ get: @escaping @Sendable (Root) -> Part?
    ) -> ReportField {
        ReportField(name: name, comparablePaths: Part.comparablePaths.map { $0.below(name) }) { root in
            guard let part = get(root), case .object(let members) = part.json, !members.isEmpty else { return nil }
            return .object(members)
        }
    }
}

/// Something that is printed as a JSON object by a table of its fields.
///
/// The table is the only place where a name is written down: the JSON, the names that `--assert` accepts and their
/// nearest-name hints all come from it.
public protocol ReportObject: Sendable {
    /// The rows, in the order they are printed.
    static var fields: [ReportField<Self>] { get }
}

extension ReportObject {
    /// The object with every field that is known.
    public var json: JSONValue {
        .object(Self.fields.compactMap { field in field.value(self).map { JSONMember(field.name, $0) } })
    }

    /// Dotted paths of all numbers and truth values it can hold.
    public static var comparablePaths: [ComparablePath] { fields.flatMap(\.comparablePaths) }
}
