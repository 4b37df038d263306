import Metrics
import Reporting
import Testing

private func call(_ expression: String) throws -> Assertion {
    try Assertion(parsing: expression, known: CallReport.comparablePaths)
}

private func loopback(_ expression: String) throws -> Assertion {
    try Assertion(parsing: expression, known: LoopbackReport.comparablePaths)
}

@Test(
    "An assertion is a name, an operator and a value, with or without spaces",
    arguments: [
        ("mouth_to_ear_ms<100", Assertion.Operator.less), ("mouth_to_ear_ms <= 100", .lessOrEqual),
        (" mouth_to_ear_ms>100 ", .greater), ("mouth_to_ear_ms>=1e2", .greaterOrEqual),
        ("mouth_to_ear_ms==100.0", .equal),
        ("mouth_to_ear_ms != 100", .notEqual),
    ])
func grammar(expression: String, comparison: Assertion.Operator) throws {
    let assertion = try call(expression)
    #expect(assertion.path == "mouth_to_ear_ms")
    #expect(assertion.comparison == comparison)
    #expect(assertion.operand == .number(100))
}

@Test(
    "What does not parse is refused with what is wrong",
    arguments: [
        "", "mouth_to_ear_ms", "mouth_to_ear_ms<", "<5", "mouth_to_ear_ms=5", "mouth_to_ear_ms<nan",
        "mouth_to_ear_ms<5ms", "mouth_to_ear_ms<<5", "mouth_to_ear_ms<inf", "!",
    ])
func malformed(expression: String) {
    #expect { try call(expression) } throws: { error in
        guard case AssertionError.malformed(expression: expression, _) = error else { return false }
        return "\(error)".contains("--assert '\(expression)'")
    }
}

@Test(
    "A misspelt name is refused with the nearest one",
    arguments: [
        ("mouth_to_here_ms<100", "mouth_to_ear_ms"), ("lost_ration<0.1", "lost_ratio"),
        ("ledger_ms.summ<9", "ledger_ms.sum"),
    ])
func misspelt(expression: String, hint: String) {
    #expect { try call(expression) } throws: { error in
        guard case AssertionError.unknownName(_, _, let found) = error else { return false }
        return found == hint
    }
}

@Test("A name far from any other is refused without a guess") func unknownWithoutHint() {
    #expect { try call("colour_of_the_sky<1") } throws: { error in
        guard case AssertionError.unknownName(_, _, nil) = error else { return false }
        return true
    }
}

@Test("Directions belong to a loopback test only") func directions() throws {
    #expect(throws: AssertionError.self) { try call("a_to_b.lost_ratio<0.1") }
    #expect(try loopback("a_to_b.lost_ratio<0.1").path == "a_to_b.lost_ratio")
}

@Test("True and false belong to flags, numbers to figures, and flags have no order") func kinds() throws {
    #expect(throws: AssertionError.self) { try call("echo.converged==1") }
    #expect(throws: AssertionError.self) { try call("mouth_to_ear_ms==true") }
    #expect(throws: AssertionError.self) { try call("echo.converged<true") }
    var report = CallReport()
    report.statistics.echo = EchoFigures()
    report.statistics.echo?.converged = false
    #expect(try call("echo.converged==false").evaluate(report).passed)
    #expect(try !call("echo.converged==true").evaluate(report).passed)
    #expect(try call("echo.converged!=true").evaluate(report).passed)
}

@Test("Limits hold exactly, on the figures as they are printed") func limits() throws {
    var report = CallReport()
    report.statistics.mouthToEarMilliseconds = 100.001
    #expect(try call("mouth_to_ear_ms<=100").evaluate(report).passed)
    #expect(try !call("mouth_to_ear_ms<100").evaluate(report).passed)
    #expect(try call("mouth_to_ear_ms==100").evaluate(report).value == .number(100))
    report.statistics.packetsLost = 3
    #expect(try call("packets_lost>2").evaluate(report).passed)
    #expect(try !call("packets_lost!=3").evaluate(report).passed)
}

@Test("What was not measured fails, whatever is asked of it") func notMeasured() throws {
    for expression in ["mos_lq<5", "mos_lq>0", "mos_lq!=3", "render.allocations==0", "echo.converged!=true"] {
        let outcome = try call(expression).evaluate(CallReport())
        #expect(!outcome.passed && outcome.value == nil, "\(expression)")
    }
}

@Test("A name without a direction holds in both, and the worse value is shown") func bothDirections() throws {
    var report = LoopbackReport()
    report.aToB.mouthToEarMilliseconds = 70
    report.bToA.mouthToEarMilliseconds = 90
    let wide = try loopback("mouth_to_ear_ms<100").evaluate(report)
    #expect(wide.passed && wide.value == .number(90))
    let tight = try loopback("mouth_to_ear_ms<80").evaluate(report)
    #expect(!tight.passed && tight.value == .number(90))
    let tighter = try loopback("mouth_to_ear_ms<60").evaluate(report)
    #expect(!tighter.passed && tighter.value == .number(90), "both fail, and the second is worse")
    #expect(try loopback("a_to_b.mouth_to_ear_ms<80").evaluate(report).passed)
    #expect(try loopback("mouth_to_ear_ms>60").evaluate(report).value == .number(70))
    report.bToA.mouthToEarMilliseconds = nil
    let missing = try loopback("mouth_to_ear_ms<100").evaluate(report)
    #expect(!missing.passed && missing.value == nil)
}

@Test("Names of the whole test are taken from it") func ownNames() throws {
    var report = LoopbackReport()
    report.gaps = 2
    #expect(try loopback("gaps==2").evaluate(report).passed)
    #expect(try !loopback("convergence_s<6").evaluate(report).passed)
}
