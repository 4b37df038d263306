/// One message of the tables, and what must become of it.
struct TortureVector: CustomStringConvertible, Sendable {
    enum Expectation: Sendable, Equatable {
        /// An INVITE that reaches our user.
        case rings
        /// A request that is answered at once with one of these.
        case answered([Int])
        /// Nothing is sent.
        case dropped
        /// Anything that is no harm.
        case anything
    }

    /// The name of the RFC's message whose defect this one has.
    let name: String
    let section: String
    let expectation: Expectation
    let bytes: [UInt8]

    init(_ name: String, _ section: String, _ expectation: Expectation, _ draft: Draft) {
        self.init(name, section, expectation, draft.bytes)
    }

    init(_ name: String, _ section: String, _ expectation: Expectation, _ bytes: [UInt8]) {
        self.name = name
        self.section = section
        self.expectation = expectation
        self.bytes = bytes
    }

    var description: String { "\(name) (\(section))" }
}
