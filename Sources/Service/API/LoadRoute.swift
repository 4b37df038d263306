import LiveMedia
import Media
import Reporting

/// The route that tells how the service keeps up with its calls, by the names that a port of many calls has for it.
enum LoadRoute {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/load") { service, _ in .json(load(service)) }
    ]

    private static func load(_ service: ServiceCore) -> JSONValue {
        let (figures, headroom) = (service.loops(), service.calls.headroom)
        func number(_ value: Double?, _ decimals: Int) -> JSONValue { value.map { .number($0, decimals: decimals) } ?? .null }
        return .object([
            JSONMember("calls", .integer(service.calls.running)), JSONMember("headroom", .integer(headroom)),
            JSONMember("admits", .boolean(headroom > 0)), JSONMember("relief", .string(figures.loop.relief.name)),
            JSONMember("threads", .integer(figures.threads)), JSONMember("sessions", .integer(figures.sessions)),
            JSONMember("turn_late_p50_ms", number(figures.loop.latenessMedian, 2)),
            JSONMember("turn_late_p99_ms", number(figures.loop.lateness99, 2)),
            JSONMember("turn_late_max_ms", number(figures.loop.latenessMaximum, 2)),
            JSONMember("load", number(figures.loop.load, 4)),
            JSONMember("processor_share", number(figures.processorShare, 4)),
            JSONMember("stages", .object(PortStage.ofSessions.map { JSONMember($0.name, number(figures.stages[$0] ?? 0, 4)) })),
        ])
    }
}
