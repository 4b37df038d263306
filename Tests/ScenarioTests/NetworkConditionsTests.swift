import Simulation
import Testing

@Suite("Network conditions") struct NetworkConditionsTests {
    private func failure(_ text: String) -> NetworkConditionsError? {
        do {
            _ = try NetworkConditions(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test("every key is read, in any order")
    func everyKey() throws {
        let read = try NetworkConditions(
            parsing: "trace=some.csv,delay=25,rate=128.5,duplicate=0.5,reorder=1,"
                + "spike=5000:120,jitter=30,burst=2,loss=5"
        ) { path throws(NetworkConditionsError) in
            #expect(path == "some.csv")
            return try NetworkTrace(csv: "seq,send_ms,arrive_ms\n0,0.0,7.5\n")
        }
        var expected = NetworkConditions()
        expected.lossRatio = 0.05
        expected.meanBurstPackets = 2
        expected.jitterMilliseconds = 30
        expected.spike = .init(everyMilliseconds: 5_000, milliseconds: 120)
        expected.reorderRatio = 0.01
        expected.duplicateRatio = 0.005
        expected.rateKilobits = 128.5
        expected.delayMilliseconds = 25
        expected.trace = try NetworkTrace(csv: "0,0,7.5")
        #expect(read == expected)
        #expect(try NetworkConditions(parsing: "") == NetworkConditions())
    }

    @Test("unknown and repeated keys are named", arguments: ["los=5", "LOSS=5", " loss=5", "=5", "delay", "x"])
    func unknownKeys(text: String) {
        let key = String(text.split(separator: "=", omittingEmptySubsequences: false)[0])
        if key == "delay" {
            guard case .badValue("delay", "", _) = failure(text) else {
                Issue.record("\(text) was taken")
                return
            }
        } else {
            #expect(failure(text) == .unknownKey(key))
        }
        #expect(failure("loss=1,delay=2,loss=3") == .repeatedKey("loss"))
        #expect(failure("loss=1,") == .unknownKey(""))
        #expect(failure("wrong=1")?.description.contains("spike") == true)
    }

    @Test(
        "values that make no sense are refused with key and value",
        arguments: [
            "loss=101", "loss=-1", "loss=nan", "loss=5%", "loss=", "burst=0.5,loss=5", "jitter=inf", "jitter=-3",
            "spike=5000", "spike=100:100", "spike=5000:", "spike=:5", "spike=5000:0", "spike=1:2:3", "spike=nan:nan",
            "reorder=200", "duplicate=x", "rate=0", "rate=1e99", "delay=1e300", "trace=",
        ])
    func badValues(text: String) {
        guard case .badValue(let key, let value, let expected) = failure(text) else {
            Issue.record("\(text) gave \(String(describing: failure(text)))")
            return
        }
        #expect(text.hasPrefix("\(key)=\(value)"))
        #expect(!expected.isEmpty)
    }

    @Test("a burst needs a loss that it can make up")
    func burst() throws {
        guard case .badValue("burst", "2", _) = failure("burst=2"),
            case .badValue("burst", "1", _) = failure("loss=60,burst=1")
        else {
            Issue.record("an impossible burst was taken")
            return
        }
        #expect(try NetworkConditions(parsing: "loss=50,burst=1").meanBurstPackets == 1)
    }

    @Test("a trace that is missing, a folder, or malformed is told with path and line")
    func badTraces() {
        guard case .traceUnreadable("/nowhere/trace.csv", let reason) = failure("trace=/nowhere/trace.csv"),
            case .traceUnreadable("/", _) = failure("trace=/")
        else {
            Issue.record("a missing trace was taken")
            return
        }
        #expect(!reason.isEmpty)
        func line(_ csv: String) -> Int? {
            do {
                _ = try NetworkTrace(csv: csv)
                return nil
            } catch {
                if case .traceMalformed(_, let line) = error { return line }
                return -1
            }
        }
        #expect(line("") == 1)
        #expect(line("seq,send_ms,arrive_ms\n") != nil)
        #expect(line("seq,send_ms,arrive_ms\n0,0,20\n1,20") == 3)
        #expect(line("0,0,20\nx,20,40") == 2)
        #expect(line("0,50,20") == 1)
        #expect(line("0,nan,20") == 1)
        #expect(line("0,0,1e300") == 1)
        #expect(line("0,0,20\r\n1,20,\r\n") == nil)
    }
}
