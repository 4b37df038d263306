import Glibc

/// The process's environment.
package func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let pair = String(cString: text)
        if let equals = pair.firstIndex(of: "=") {
            variables[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
        }
        entry += 1
    }
    return variables
}
