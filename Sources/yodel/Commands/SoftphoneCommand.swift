import ArgumentParser
import CommandOptions
import Glibc
import Reporting
import Service
import Settings
import Softphone
import Terminal

/// `yodel softphone`: the service.
struct SoftphoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "softphone", abstract: "Run as a service: registered, controlled by HTTP, many calls at once.",
        discussion: HelpText.discussion(
            """
            Takes the accounts of the configuration file. Every request bears the token of --softphone-token-file; without \
            that the first start prints a link to the page, which counts once and brings a token. SIGTERM or Ctrl-C drains: no new calls, and running ones go on for \
            --softphone-drain-seconds; a second one ends at once. docs/softphone.md tells the rest, docs/openapi.yaml every \
            request.
            """,
            examples: [
                ("yodel softphone", "the configured accounts, on loopback; the first start prints a link"),
                ("yodel softphone --softphone-token-file /run/secrets/token", "with a token that lasts"),
                ("yodel softphone --softphone-device echo", "whoever is called hears himself"),
            ]))

    @OptionGroup(title: SoftphoneKeys.title) var service: KeyArguments<SectionOptions<SoftphoneKeys>>
    @OptionGroup(title: AudioKeys.title) var audio: KeyArguments<ServiceAudioOptions>
    @OptionGroup(title: MediaKeys.title) var coding: KeyArguments<SectionOptions<MediaKeys>>
    @OptionGroup(title: NetworkKeys.title) var network: KeyArguments<SectionOptions<NetworkKeys>>
    @OptionGroup(title: TLSKeys.title) var tls: KeyArguments<SectionOptions<TLSKeys>>
    @OptionGroup(title: LogKeys.title) var general: GeneralArguments

    @OptionGroup var signalling: SignallingArguments

    func run() throws {
        let signals = TerminationSignal()
        // The service reads its configuration anew; until it runs there is nothing to read.
        signal(SIGHUP, SIG_IGN)
        let flags = service.given + audio.given + coding.given + network.given + tls.given + general.log.given
        let configuration = try resolveConfiguration(flags: flags, general: general)
        let source = ServiceSource(
            flags: flags, environment: processEnvironment(), path: general.config, product: "yodel",
            tracePath: signalling.sipTrace)
        let running: SoftphoneService
        do throws(SoftphoneError) {
            let settings = try source.settings(configuration)
            signals.endInOrder()
            running = try SoftphoneService(settings)
        } catch {
            throw CommandError(error)
        }
        for line in running.banner { Output.standard.line(line) }
        running.run(signals: signals.descriptor) { signals.take() != nil && TerminationSignal.caught != nil }
    }
}
