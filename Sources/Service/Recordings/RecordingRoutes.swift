import Reporting
import Softphone

/// The routes of recordings.
enum RecordingRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("PUT", "/v1/calls/{id}/recording") { (service, request) throws(Problem) in try begin(service, request) },
        Route("DELETE", "/v1/calls/{id}/recording") { (service, request) throws(Problem) in try end(service, request) },
        Route("GET", "/v1/recordings") { (service, _) throws(Problem) in
            .json([JSONMember("recordings", .array(try shelf(service).all().map(\.json)))].object)
        },
        Route("GET", "/v1/recordings/{id}") { (service, request) throws(Problem) in
            let shelf = try shelf(service)
            return APIResponse(200, contentType: "audio/wav", .file(path: shelf.path(try item(shelf, request))))
        },
        Route("DELETE", "/v1/recordings/{id}") { (service, request) throws(Problem) in try delete(service, request) },
    ]

    static func shelf(_ service: ServiceCore) throws(Problem) -> RecordingShelf {
        guard let folder = service.recordings else {
            throw Problem(
                409, "there is no folder for recordings", "name one: softphone.recordings", at: "softphone.recordings")
        }
        return RecordingShelf(folder: folder)
    }

    private static func item(_ shelf: RecordingShelf, _ request: APIRequest) throws(Problem) -> RecordingShelf.Item {
        let name = request.parameters["id"] ?? ""
        guard let item = shelf.item(name) else {
            throw Problem(
                404, "there is no such recording",
                "no recording is called '\(name.prefix(80))'; GET /v1/recordings lists them", at: "id")
        }
        return item
    }

    private static func begin(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        _ = try BodyFields(request, known: [])
        let shelf = try shelf(service)
        let id = request.parameters["id"] ?? ""
        _ = try service.calls.change(id) { (record) throws(Problem) in
            try CallRoutes.mustTalk(record)
            guard record.recording == nil else { throw .conflict("the call is being recorded already; DELETE ends that") }
            guard !record.isChangingAudio else {
                throw .conflict("the call is just given another audio end; ask again when it has that")
            }
            // Its place: nobody begins another one meanwhile.
            record.recording = ""
        }
        var name: String?
        defer {
            // It may have ended already, and been told so.
            _ = try? service.calls.change(id) { (record) throws(Problem) in
                if record.recording != nil { record.recording = name }
            }
        }
        guard let call = service.calls.live(id) else { throw .conflict("the call is over") }
        let (path, chosen) = try shelf.next(of: id)
        do throws(SoftphoneError) { try call.record(to: path) } catch {
            if let item = shelf.item(chosen) { _ = shelf.delete(item) }
            throw Problem(error)
        }
        name = chosen
        var response = APIResponse.json([JSONMember("name", .string(chosen))].object, status: 201)
        response.headers.append(("Location", "/v1/recordings/\(chosen)"))
        return response
    }

    private static func end(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let id = request.parameters["id"] ?? ""
        var name: String?
        _ = try service.calls.change(id) { (record) throws(Problem) in
            guard let running = record.recording, !running.isEmpty else { throw .conflict("the call is not being recorded") }
            if case .record = record.audio {
                throw .conflict("the recorder is the call's audio end; PUT .../audio with another one ends it")
            }
            if case .attendant(let attendant) = record.audio, attendant.takesMessage {
                throw .conflict("the caller leaves a message; PUT .../audio with another audio end, or the call's end, ends it")
            }
            name = running
        }
        if let call = service.calls.live(id) {
            do throws(SoftphoneError) { try call.record(to: nil) } catch { throw Problem(error) }
        }
        _ = try service.calls.change(id) { (record) throws(Problem) in
            // Another audio end may have begun one of its own.
            if record.recording == name { record.recording = nil }
        }
        return .json([JSONMember("name", .string(name ?? ""))].object)
    }

    private static func delete(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let shelf = try shelf(service)
        let item = try item(shelf, request)
        guard service.calls.record(item.call)?.recording != item.first || service.calls.live(item.call) == nil else {
            throw .conflict("the recording is being made; DELETE /v1/calls/\(item.call)/recording ends it")
        }
        guard shelf.delete(item) else {
            throw Problem(
                503, "the recording cannot be deleted", "let the program's user write in softphone.recordings",
                retryAfterSeconds: 5)
        }
        return APIResponse(204, contentType: "", .bytes([]))
    }
}
