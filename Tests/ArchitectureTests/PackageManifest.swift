/// What Package.swift says about targets: which exist, and what each depends on.
struct PackageManifest {
    /// Names of Swift and C targets under `Sources`, each with the names of its dependencies (targets and products).
    let dependencies: [String: Set<String>]

    /// Reads the manifest's text: every `.target(`, `.executableTarget(` and `.systemLibrary(` entry.
    init(_ text: String) {
        // The tools-version line and URLs hold "//" too; neither stands inside a target.
        let manifest = text.replacing(#/\/\/[^\n]*/#, with: "")
        var found = [String: Set<String>]()
        for opening in [".target(", ".executableTarget(", ".systemLibrary("] {
            for range in manifest.ranges(of: opening) {
                let body = Self.balanced(manifest[range.upperBound...], "(", ")")
                guard let name = Self.quoted(body).first else { continue }
                let list = body.firstRange(of: "dependencies: [").map {
                    Self.balanced(body[$0.upperBound...], "[", "]")
                }
                let products = (list ?? "").matches(of: #/package: "([^"]*)"/#).map { String($0.1) }
                found[name] = Set(Self.quoted(list ?? "")).subtracting(products.filter { $0 != name })
            }
        }
        dependencies = found
    }

    /// The text up to the bracket that closes one opened just before.
    private static func balanced(_ text: Substring, _ open: Character, _ close: Character) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    private static func quoted(_ text: Substring) -> [String] {
        text.matches(of: #/"([^"]*)"/#).map { String($0.1) }
    }
}
