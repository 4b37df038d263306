// The kinds of values that keys take. A type with values of its own adds its form beside the keys that use it.

extension ValueForm where Value == String {
    /// Any text that is not empty.
    public static func text(_ placeholder: String) -> ValueForm {
        ValueForm(
            placeholder: placeholder, expectation: "a name", parse: { $0.isEmpty ? nil : $0 }, write: { $0 })
    }

    /// The name of a device; `null` is one that is silent.
    static var deviceName: ValueForm {
        var form = text("name")
        form.hasNull = true
        return form
    }
}

extension ValueForm where Value == Int {
    /// A whole number.
    public static func integer(_ range: ClosedRange<Int>, unit: String = "", placeholder: String) -> ValueForm {
        let text = "\(range.lowerBound)...\(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
        var form = ValueForm(
            placeholder: placeholder, expectation: "a whole number \(text)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, write: { String($0) },
            json: { .integer($0) })
        form.range = text
        return form
    }

    /// One of a few whole numbers.
    public static func oneOf(_ values: [Int], unit: String = "", placeholder: String) -> ValueForm {
        let cases = values.map(String.init)
        var form = ValueForm(
            placeholder: placeholder,
            expectation: cases.joined(separator: ", ") + (unit.isEmpty ? "" : " \(unit)"),
            parse: { Int($0).flatMap { values.contains($0) ? $0 : nil } }, write: { String($0) },
            json: { .integer($0) })
        form.cases = cases
        return form
    }
}

extension ValueForm where Value == Double {
    /// A number.
    public static func number(_ range: ClosedRange<Double>, unit: String = "", placeholder: String) -> ValueForm {
        let text =
            "\(plain(range.lowerBound))...\(plain(range.upperBound))" + (unit.isEmpty ? "" : " \(unit)")
        var form = ValueForm(
            placeholder: placeholder, expectation: "a number \(text)",
            parse: { Double($0).flatMap { $0.isFinite && range.contains($0) ? $0 : nil } },
            write: { plain($0) }, json: { .number($0) })
        form.range = text
        return form
    }

    /// Without the `.0` of a whole number.
    private static func plain(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}

extension ValueForm where Value == Bool {
    /// `true` or `false`; on the command line a flag and its `--no-` form.
    public static var toggle: ValueForm {
        var form = ValueForm(
            placeholder: "", expectation: "true or false",
            parse: { text in [true, false].first { String($0) == text } }, write: { String($0) },
            json: { .boolean($0) })
        form.shape = .toggle
        return form
    }
}

extension ValueForm where Value: CaseIterable & RawRepresentable<String> {
    /// A case of an enumeration under its raw value, in capitals too.
    public static func cases(_ placeholder: String) -> ValueForm {
        let cases = Value.allCases.map(\.rawValue)
        var form = ValueForm(
            placeholder: placeholder, expectation: cases.joined(separator: ", "),
            parse: { Value(rawValue: $0.lowercased()) }, write: { $0.rawValue })
        form.cases = cases
        return form
    }
}
