// swift-tools-version: 6.2
import PackageDescription

/// The targets by what they do, each under its floor's number: a target imports only from lower floors, which docs/architecture.md lists
/// (ArchitectureTests reads this file).
let package = Package(
    name: "yodel",
    products: [
        .executable(name: "yodel", targets: ["yodel"]),
        .library(name: "YodelCore", targets: ["DSP", "Realtime"]),
        .library(name: "YodelAudioUnits", targets: ["AudioUnits", "AudioDevices", "AudioFiles", "AudioSession"]),
        .library(
            name: "YodelCall",
            targets: [
                "Softphone", "LiveMedia", "Media", "Network", "Link", "JitterBuffer", "RTP", "Codecs", "Metrics",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // 7: the command line
        .executableTarget(
            name: "yodel",
            dependencies: [
                "Service", "Control", "History", "Diagnosis", "CommandOptions", "Load", "Loopback", "Studio", "Softphone",
                "Terminal",
                "Settings",
                "Reporting", "Simulation",
                "LiveMedia",
                "Media",
                "Signalling", "PeerSignalling", "AudioDevices", "JitterBuffer", "AudioUnits", "AudioFiles", "Codecs", "Metrics",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // 6: calls of many accounts, for months, controlled by HTTP
        .target(
            name: "Service",
            dependencies: [
                "Diagnosis", "Softphone", "Simulation", "Signalling", "SecureRTP", "History", "Settings", "Reporting",
                "LiveMedia", "Media",
                "AudioDevices", "AudioUnits", "AudioFiles", "Codecs", "WebClient", "Link", "Metrics", "Realtime",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ], resources: [.embedInCode("API/openapi.yaml")]),
        // 6: a service that runs, controlled from the command line
        .target(
            name: "Control",
            dependencies: [
                "WebClient", "Terminal", "Settings", "Reporting", "Realtime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // 3: requests by HTTP
        .target(
            name: "WebClient",
            dependencies: [
                "Link",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // 5: keys of the configuration as options of commands
        .target(
            name: "CommandOptions",
            dependencies: ["Settings", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // 6: many calls at once at one port, and the load that makes and measures them
        .target(
            name: "Load",
            dependencies: [
                "Softphone", "Signalling", "Simulation", "Terminal", "Settings", "Reporting", "LiveMedia", "Media", "Network",
                "AudioFiles", "Codecs", "RTP", "Link", "Metrics", "Threads", "Realtime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // 6: the automated call test, live or in virtual time
        .target(
            name: "Loopback",
            dependencies: [
                "Softphone", "Simulation", "LiveMedia", "Media", "Reporting", "Network", "AudioDevices", "JitterBuffer",
                "AudioUnits", "SecureRTP", "Link", "Threads", "Realtime",
            ]),
        // 6: files played, recorded, rendered and processed, without a call
        .target(
            name: "Studio",
            dependencies: [
                "Softphone", "Terminal", "Settings", "Reporting", "Simulation", "Media", "PacketCapture", "AudioDevices",
                "JitterBuffer", "AudioUnits", "AudioFiles", "Codecs", "SIP", "Metrics", "Realtime",
            ]),
        // 5.5: what is wrong with the machine, the configuration or the servers, and what to do
        .target(
            name: "Diagnosis",
            dependencies: [
                "Softphone", "Signalling", "Settings", "Reporting", "AudioDevices", "ICE", "Network", "Link", "Threads",
                "Realtime", .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // 5: calls as somebody wants them: the one door for command line, service and tests
        .target(
            name: "Softphone",
            dependencies: [
                "Signalling", "PeerSignalling", "SDP", "SecureRTP", "ICE", "LiveMedia", "Media", "Settings", "Reporting",
                "AudioSession", "Network",
                "AudioDevices",
                "JitterBuffer", "AudioUnits", "AudioFiles", "RTP", "Codecs", "DSP", "Link", "Metrics", "Threads", "Realtime",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // 5: virtual time, network emulator, two endpoints in one process
        .target(
            name: "Simulation",
            dependencies: [
                "LiveMedia", "Media", "Reporting", "PacketCapture", "AudioDevices", "JitterBuffer", "AudioUnits", "SecureRTP",
                "RTP", "Codecs", "DSP", "Link", "Metrics", "Realtime",
            ]),
        // 4: the person in front of a running program: lines, keys, signals, a status line
        .target(
            name: "Terminal",
            dependencies: [
                "Reporting", "AudioDevices", "Metrics", "Realtime", .product(name: "Logging", package: "swift-log"),
            ]),
        // 4: what calls leave behind for months: a database
        .target(
            name: "History",
            dependencies: ["Reporting", "Threads", "Realtime", .product(name: "GRDB", package: "GRDB.swift")]),
        // 4: threads, sockets, devices and files around the media
        .target(
            name: "LiveMedia",
            dependencies: [
                "Media", "AudioSession", "PacketCapture", "Network", "AudioDevices", "JitterBuffer", "AudioUnits",
                "AudioFiles", "RTP", "Codecs", "DSP", "Link", "Metrics", "Threads", "Realtime",
            ]),
        // 4: calls by SIP: user agent, offer and answer, sockets and name servers joined
        .target(
            name: "Signalling",
            dependencies: ["SignallingTransport", "ICE", "SIP", "SDP", "SecureRTP", "RTP", "Codecs", "Link", "Realtime"]),
        // 3: the media of calls, sans-I/O
        .target(
            name: "Media",
            dependencies: ["JitterBuffer", "RTP", "Codecs", "DSP", "Link", "Metrics", "Realtime"]),
        // 4: what the person asked for: configuration and call URI
        .target(
            name: "Settings",
            dependencies: ["Reporting", "Link", "JitterBuffer", "AudioUnits", "Codecs", "RTP", "CYAML"]),
        // 3: what a call says about itself, and what may be asserted of it
        .target(name: "Reporting", dependencies: ["Metrics", "CJansson"]),
        // 3: category, route, interruptions, other programs' volume
        .target(name: "AudioSession", dependencies: ["AudioUnits", "Threads", "Realtime", "CPulse"]),
        // 2: edges and the jitter buffer
        .target(
            name: "AudioDevices",
            dependencies: ["AudioUnits", "AudioFiles", "DSP", "Threads", "Realtime", "CALSA", "CPulse"]),
        .target(name: "Network", dependencies: ["RTP", "Link", "Realtime", "CNetwork", "CDTLS"]),
        .target(name: "JitterBuffer", dependencies: ["Codecs", "DSP", "Realtime"]),
        .target(name: "PacketCapture", dependencies: ["Realtime", "CPcap"]),
        .target(
            name: "SignallingTransport",
            dependencies: [
                "SIP", "Realtime", "CX509", "CCares", "CNetwork",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // 2: calls from person to person, signalled within DTLS, sans-I/O
        .target(name: "PeerSignalling", dependencies: ["SDP", "SecureRTP", "Realtime"]),
        // 1: protocol and signal rooms, sans-I/O
        .target(
            name: "AudioUnits", dependencies: ["AudioFiles", "DSP", "Metrics", "Threads", "Realtime", "CSpeexDSP"]),
        .target(name: "Codecs", dependencies: ["DSP", "Realtime", "COpus", "CSpanDSP"]),
        .target(name: "RTP", dependencies: ["Link", "Realtime"]),
        .target(name: "ICE", dependencies: ["Link", "Realtime", .product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "SecureRTP", dependencies: ["Link", "Realtime", "CSRTP", "CSRTPCiphers", "CDTLS"]),
        .target(name: "SDP", dependencies: ["Link"]),
        .target(
            name: "SIP",
            dependencies: [
                "Link", "Realtime",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        // 0: the ground, files on it, and where packets pass
        .target(name: "Link", dependencies: ["Realtime"]),
        .target(name: "Threads", dependencies: ["Realtime", "CRealtime"]),
        .target(name: "Metrics"),
        .target(name: "AudioFiles", dependencies: ["DSP", "Threads", "Realtime", "CSndFile"]),
        .target(name: "DSP", dependencies: ["Realtime", "CSpeexDSP", "CKissFFT"]),
        .target(
            name: "Realtime",
            dependencies: ["CRealtime"],
            swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
        // C: module maps, and inline shims where a macro or variadic call needs one
        .target(name: "CRealtime"),
        .target(name: "CNetwork"),
        // DTLS and TLS in memory. OpenSSL's headers only: the library itself is loaded when a call agrees upon keys by DTLS.
        .target(name: "CDTLS"),
        // AES by OpenSSL for libsrtp2, whose own of Debian costs twice as much. Loaded likewise.
        .target(name: "CSRTPCiphers"),
        // What is wrong with a certificate: NIOSSL's own copy of BoringSSL does not tell. OpenSSL's headers only, likewise.
        .target(name: "CX509"),
        .systemLibrary(name: "CALSA", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        .systemLibrary(name: "CCares", providers: [.apt(["libc-ares-dev"])]),
        // Its header only: libpcap itself is loaded when a capture is read.
        .systemLibrary(name: "CPcap", providers: [.apt(["libpcap0.8-dev"])]),
        // Likewise libpulse, when a session or a device of the kind `pulse:` looks for a sound server.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        // Likewise libspandsp, when a call uses G.722.
        .systemLibrary(name: "CSpanDSP", providers: [.apt(["libspandsp-dev"])]),
        // Likewise libsrtp2, when a call is encrypted.
        .systemLibrary(name: "CSRTP", providers: [.apt(["libsrtp2-dev"])]),
        // What Examples/Package.swift builds for people who read them, here for the tests that run them
        .executableTarget(
            name: "example-tone", dependencies: ["AudioUnits", "AudioDevices"], path: "Examples/Sources/tone"),
        .executableTarget(
            name: "example-recorder", dependencies: ["AudioUnits", "AudioFiles", "AudioDevices", "Realtime"],
            path: "Examples/Sources/recorder"),
        .executableTarget(
            name: "example-karaoke", dependencies: ["AudioUnits", "AudioDevices"], path: "Examples/Sources/karaoke"),
        .executableTarget(
            name: "example-equalizer", dependencies: ["AudioUnits", "AudioDevices"], path: "Examples/Sources/equalizer"),
        .executableTarget(
            name: "example-bounce", dependencies: ["AudioUnits", "AudioFiles"], path: "Examples/Sources/bounce"),
        .executableTarget(
            name: "example-tremolo", dependencies: ["AudioUnits"], path: "Examples/Sources/tremolo"),
        .executableTarget(
            name: "example-intercom",
            dependencies: ["LiveMedia", "Media", "Codecs", "Network", "Link", "AudioUnits", "AudioDevices"],
            path: "Examples/Sources/intercom"),
        .executableTarget(
            name: "example-spectrum", dependencies: ["AudioUnits", "AudioDevices", "Realtime"],
            path: "Examples/Sources/spectrum"),
        // Tests mirror the targets; CAudit counts allocations and locks inside the render scope and refuses memory, RenderAudit
        // counts for calls; TestSignals has what tests of files, of devices and of the program listen for, TestPrograms runs
        // programs for them, TestThreads threads.
        .target(name: "CAudit", path: "Tests/CAudit"),
        .systemLibrary(name: "COpenSSL", path: "Tests/COpenSSL", providers: [.apt(["libssl-dev"])]),
        .target(name: "TestSignals", path: "Tests/TestSignals"),
        .target(name: "TestPrograms", path: "Tests/TestPrograms"),
        .target(name: "TestThreads", dependencies: ["Threads"], path: "Tests/TestThreads"),
        .target(
            name: "RenderAudit",
            dependencies: [
                "CAudit", "Simulation", "LiveMedia", "Media", "Network", "Link", "AudioDevices", "AudioUnits", "Codecs",
                "Realtime",
            ],
            path: "Tests/RenderAudit"),
        .testTarget(name: "RealtimeTests", dependencies: ["Threads", "Realtime", "CAudit"]),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads", "Realtime", "CAudit"]),
        .testTarget(name: "DSPTests", dependencies: ["DSP", "CAudit"]),
        .testTarget(name: "CodecsTests", dependencies: ["Codecs", "COpus", "CSpanDSP"], exclude: ["Fixtures"]),
        .testTarget(name: "LinkTests", dependencies: ["Link"]),
        .testTarget(name: "ICETests", dependencies: ["ICE", "Network", "Link", "Realtime"]),
        .testTarget(name: "RTPTests", dependencies: ["RTP", "Link"], exclude: ["Fixtures"]),
        .testTarget(name: "SecureRTPTests", dependencies: ["SecureRTP", "RTP", "Link", "Realtime", "COpenSSL"]),
        .testTarget(
            name: "SIPTests",
            dependencies: [
                "CAudit", "SIP", "Realtime",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        .testTarget(name: "SDPTests", dependencies: ["SDP", "Link", "Realtime"]),
        .testTarget(name: "PeerSignallingTests", dependencies: ["PeerSignalling", "SDP", "SecureRTP", "Link", "Realtime"]),
        .testTarget(
            name: "SignallingTransportTests",
            dependencies: [
                "TestPrograms", "SignallingTransport", "SIP", "Realtime",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "SignallingTests",
            dependencies: [
                "TestPrograms", "Signalling", "ICE", "SDP", "SecureRTP", "RTP", "Codecs", "Link", "Network", "Realtime",
            ]),
        .testTarget(name: "NetworkTests", dependencies: ["TestPrograms", "Network", "RTP", "Link", "Realtime"]),
        .testTarget(name: "JitterBufferTests", dependencies: ["CAudit", "JitterBuffer", "Codecs", "DSP"]),
        .testTarget(name: "PacketCaptureTests", dependencies: ["PacketCapture", "Realtime"]),
        .testTarget(
            name: "AudioUnitsTests", dependencies: ["TestThreads", "CAudit", "AudioDevices", "AudioUnits", "AudioFiles", "DSP"]),
        .testTarget(
            name: "AudioDevicesTests",
            dependencies: [
                "TestPrograms", "TestSignals", "RenderAudit", "CAudit", "AudioSession", "AudioDevices", "AudioUnits",
                "AudioFiles",
                "Realtime",
            ]),
        .testTarget(name: "AudioFilesTests", dependencies: ["TestSignals", "AudioFiles"]),
        .testTarget(name: "AudioSessionTests", dependencies: ["AudioSession", "AudioDevices", "AudioUnits"]),
        .testTarget(
            name: "MediaTests",
            dependencies: [
                "TestThreads", "CAudit", "Simulation", "LiveMedia", "Media", "Metrics", "Reporting", "PacketCapture", "Network",
                "AudioDevices",
                "AudioUnits", "AudioFiles",
                "JitterBuffer", "Codecs", "RTP", "Link", "Realtime",
            ]),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "Simulation", "LiveMedia", "Media", "Metrics", "Reporting", "PacketCapture", "AudioDevices", "AudioUnits",
                "AudioFiles", "JitterBuffer", "Link", "RTP", "Codecs", "Realtime",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "RenderContractTests",
            dependencies: [
                "RenderAudit", "CAudit", "Simulation", "LiveMedia", "Media", "AudioDevices", "AudioUnits", "Codecs", "Realtime",
                // whose C is refused memory
                "SecureRTP", "CDTLS", "CKissFFT", "CNetwork", "COpus", "CRealtime", "CSpeexDSP", "CYAML",
            ]),
        .testTarget(
            name: "SoftphoneTests",
            dependencies: [
                "TestPrograms", "Softphone", "Signalling", "PeerSignalling", "SDP", "SecureRTP", "ICE", "Settings", "Reporting",
                "Media",
                "Metrics", "AudioDevices",
                "Codecs", "RTP", "Link", "Realtime",
            ]),
        .testTarget(
            name: "DiagnosisTests",
            dependencies: ["TestPrograms", "Diagnosis", "AudioDevices", "Settings", "Reporting", "Link"]),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "TestPrograms", "Service", "Diagnosis", "Softphone", "SecureRTP", "History", "Settings", "Reporting",
                "LiveMedia", "Media",
                "Metrics", "WebClient", "Realtime",
            ]),
        .testTarget(name: "ControlTests", dependencies: ["Control", "Service", "WebClient", "Reporting"]),
        .testTarget(name: "HistoryTests", dependencies: ["TestPrograms", "History", "Reporting", "Realtime"]),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "CAudit", "Load", "Softphone", "Signalling", "SDP", "Simulation", "LiveMedia", "Media", "Reporting", "Settings",
                "AudioFiles", "Network", "Codecs", "RTP", "Link", "Realtime",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "TestPrograms", "TestSignals", "Studio", "Terminal", "AudioFiles", "Metrics", "Reporting", "Settings", "yodel",
            ]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "TestPrograms", "AudioFiles", "example-tone", "example-recorder", "example-karaoke", "example-equalizer",
                "example-bounce", "example-tremolo", "example-intercom", "example-spectrum",
            ]),
        .testTarget(name: "ArchitectureTests", exclude: ["Fixtures"]),
    ],
    swiftLanguageModes: [.v6]
)

// A section for each function: the linker lays those that calls run side by side (scripts/link-order). SwiftPM refuses a package with such
// a flag to whoever depends on a version of it, so only our scripts ask for it (scripts/lib.sh).
if Context.environment["YODEL_FUNCTION_SECTIONS"] != nil {
    for target in package.targets where [.regular, .executable].contains(target.type) {
        let sections = SwiftSetting.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))
        target.swiftSettings = (target.swiftSettings ?? []) + [sections]
    }
}
