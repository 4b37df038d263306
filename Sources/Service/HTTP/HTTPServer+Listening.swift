import Glibc
import Link
import NIOCore
import Realtime
import Softphone

/// The server, from a thread that may wait.
extension HTTPServer {
    /// Binds the port.
    /// - Parameters:
    ///   - desk: answers requests.
    ///   - core: whose events are told; `nil`: there are none.
    ///   - certificate: of HTTPS; `nil`: HTTP without encryption.
    ///   - descriptors: that the process may have.
    ///   - chosenBy: where the place was chosen.
    /// - Throws: why the port cannot be had.
    static func listen(
        _ address: IPAddress, _ port: UInt16, _ desk: RequestDesk, _ core: ServiceCore?, _ certificate: CertificateKeeper?,
        descriptors: Int, chosenBy: String
    ) throws(SoftphoneError) -> HTTPServer {
        do throws(StartFailure) {
            return try waitFor {
                try await HTTPServer(
                    address, port: port, desk: desk, core: core, certificate: certificate, descriptors: descriptors)
            }
        } catch {
            throw .request(
                "\(address):\(port) cannot be bound (\(error.text)), in \(chosenBy); choose another, or end the program that has it"
            )
        }
    }

    /// Where it is, as a browser is told.
    /// - Parameter address: that was bound.
    func url(at address: IPAddress, isSecure: Bool = false) -> String {
        "\(isSecure ? "https" : "http")://\(address.family == .v6 ? "[\(address)]" : "\(address)"):\(port)"
    }
}

/// Why the server does not start.
struct StartFailure: Error {
    var text: String
}

/// Waits on a thread that may wait for what has to be awaited.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws(StartFailure) -> Value {
    let signal: EventSignal
    do { signal = try EventSignal() } catch { throw StartFailure(text: "\(error)") }
    defer { signal.close() }
    let place = Outcome<Value>()
    Task.detached {
        let outcome: Result<Value, StartFailure>
        do {
            outcome = .success(try await body())
        } catch let error as IOError {
            outcome = .failure(StartFailure(text: String(cString: strerror(error.errnoCode))))
        } catch {
            outcome = .failure(StartFailure(text: "\(error)"))
        }
        place.result.withLock { $0 = outcome }
        signal.signal()
    }
    var entry = pollfd(fd: signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, -1) < 1 {}
    guard let outcome = place.result.withLock({ $0 }) else { throw StartFailure(text: "it ended") }
    return try outcome.get()
}

/// What one thread leaves for another.
private final class Outcome<Value: Sendable>: Sendable {
    let result = Lock<Result<Value, StartFailure>?>(nil)
}
