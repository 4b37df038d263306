import Reporting
import Service
import Settings
import Softphone
import Terminal

/// `yodel listen` for a browser: checks everything, waits for one call by HTTP, and carries it.
func runBrowser(_ text: String, echoes: Bool, ring: String?, _ media: MediaArguments) throws {
    let signals = TerminationSignal()
    let uri: BrowserURI
    do { uri = try BrowserURI(parsing: text) } catch { throw CommandError(error) }
    if !uri.isSecure, let given = media.tls.given.first {
        throw CommandError(.usage, "\(given.option) is for https://; leave it out")
    }
    let (assertions, configuration, options) = try media.resolved(ring: ring)
    let door: BrowserDoor
    do { door = try BrowserDoor(uri, configuration, media: options.request, echoes: echoes) } catch {
        throw CommandError(error)
    }
    defer { door.close() }
    let printer = EventPrinter(
        json: media.output.json, parties: 1, input: options.request.device.input, output: options.request.device.output)
    printer.show(Event(.waitingForBrowser(url: door.url, token: door.token)))
    if !uri.isSecure, !uri.address.isLoopback {
        printer.show(
            Event(
                .warning(
                    "browsers on other machines give no microphone to http://, and the network can read the token; "
                        + "use https:// with --tls-certificate")))
    }
    let call = door.waitForCall()
    signals.endInOrder()
    var console = CallConsole(
        call: call, events: try subscribe(call), printer: printer, signals: signals, assertions: assertions,
        durationSeconds: options.durationSeconds, durationCountsFromMedia: true)
    let status = console.run()
    if status != .fine { throw status }
}
