public import ArgumentParser
import Dispatch
import Glibc
import Realtime
import Reporting
import Settings
import Terminal
import WebClient

/// `yodel ctl`: a running service, controlled from the command line by its own API.
public struct ControlCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "ctl", abstract: "Control a service that runs.",
        discussion: """
            Asks `yodel softphone` by HTTP what these words stand for:

            \(ControlVerb.wrappedList)
              request METHOD PATH [BODY]
                  anything that docs/openapi.yaml describes; a BODY of - is
                  read from standard input

            Without options it asks the service of the configuration on this machine. The exit code is 0, 1 (the service has a \
            defect), 2 (not understood, or not there; a disk that is full), 4 (refused now), 7 (token or \
            certificate) or 8 (nobody there).

            EXAMPLES:
              yodel ctl calls
                  calls there are
              yodel ctl dial sip:102@example.com wait=answered audio.echo=true
                  call somebody, who hears himself
              yodel ctl --json events
                  what happens, one event a line
            """)

    @Option(help: ArgumentHelp("Where it is (default: $YODEL_URL, else as the configuration says).", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "File whose first line is the token (default: $YODEL_TOKEN, else as the configuration says).", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("PEM file of the authorities of its certificate (default: the system's).", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("Write what is answered here, once it is whole.", valueName: "file"))
    var out: String?

    @Flag(help: "Let --out replace a file that is there.")
    var overwrite = false

    @Option(help: ArgumentHelp("With the word `request`: content type of BODY.", valueName: "type"))
    var type = "application/json"

    @Flag(help: "Print JSON as it comes.")
    var json = false

    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
    var config: String?

    @Argument(help: ArgumentHelp("What is asked.", valueName: "word"))
    var words: [String]

    public init() {}

    public func run() throws {
        var request = try ControlRequest(words)
        if words.first == "request" {
            request.contentType = type
            if request.body == [UInt8(ascii: "-")] { request.body = Self.standardInput() }
        }
        let environment = processEnvironment()
        let place = try place(environment)
        var headers = [("Authorization", "Bearer \(try token(environment))")]
        if request.body != nil { headers.append(("Content-Type", request.contentType)) }
        // A call that is waited for may ring for long; what is there is told at once.
        let asked = WebClient.Request(
            request.method, request.path, headers: headers, body: request.body ?? [],
            patience: request.method == "GET" ? 30 : nil)
        let sink = ControlSink(
            try out.map { (path) throws(ControlError) in try AnswerFile(path, overwrites: overwrite) }, isJSON: json)
        let client = WebClient(authorities: ca)
        let answer: WebClient.Answer
        do throws(WebClient.Failure) {
            answer = try Self.wait { () throws(WebClient.Failure) in
                try await client.ask(asked, of: place) { sink.take($0, $1) }
            }
        } catch {
            throw ControlError(error, of: place)
        }
        try sink.finish(answer)
    }

    private func place(_ environment: [String: String]) throws -> WebAddress {
        // As any other variable, an empty one counts as none.
        let named = environment["YODEL_URL"].flatMap { $0.isEmpty ? nil : $0 }
        if let url = url ?? named {
            guard let place = WebAddress(url) else {
                throw ControlError.usage("'\(url.prefix(200))' is no URL; write http://HOST:PORT or https://...")
            }
            return place
        }
        let configuration = try Configuration(environment: environment, explicitPath: config)
        let address = configuration[\.softphone.address]
        let host = address.isUnspecified ? "localhost" : address.family == .v6 ? "[\(address)]" : "\(address)"
        let scheme = configuration[\.softphone.certificate] == nil ? "http" : "https"
        guard let place = WebAddress("\(scheme)://\(host):\(configuration[\.softphone.port])") else {
            throw ControlError.usage("the service takes any port that is free; name it with --url")
        }
        return place
    }

    private func token(_ environment: [String: String]) throws -> String {
        if tokenFile == nil, let token = environment["YODEL_TOKEN"], !token.isEmpty { return token }
        guard
            let path = try tokenFile
                ?? Configuration(environment: environment, explicitPath: config)[\.softphone.tokenFile]
                ?? Self.keptToken(environment)
        else {
            throw ControlError.authentication(
                "there is no token; open the link that the service has printed, or name the token's file with --token-file")
        }
        do { return try SecretFile.line(path: path) } catch {
            throw ControlError.authentication("\(path) cannot be read; name a file with the token, with --token-file")
        }
    }

    /// The file that a service without `softphone.token_file` keeps its token in; nil: there is none yet.
    private static func keptToken(_ environment: [String: String]) -> String? {
        let file = StateFolder.path(environment: environment).map(StateFolder.tokenFile)
        return file.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    }

    private static func standardInput() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }

    /// Waits on the program's thread for what has to be awaited.
    private static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(WebClient.Failure) -> Value
    ) throws(WebClient.Failure) -> Value {
        let place = Lock<Result<Value, WebClient.Failure>?>(nil)
        let shared = Shared(place)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Value, WebClient.Failure>
            do throws(WebClient.Failure) { result = .success(try await body()) } catch { result = .failure(error) }
            shared.place.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = shared.place.withLock({ $0 }) else { preconditionFailure("it was signalled") }
        return try result.get()
    }
}

/// What two threads have in common.
private final class Shared<Value: Sendable>: Sendable {
    let place: Lock<Value>

    init(_ place: consuming sending Lock<Value>) { self.place = place }
}
