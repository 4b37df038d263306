// swift-tools-version: 6.2
import PackageDescription

/// Floors of the house, top down: a target imports only from lower floors (ArchitectureTests reads this file).
let package = Package(
    name: "yodel",
    products: [
        .executable(name: "yodel", targets: ["yodel"]),
        .library(name: "YodelCore", targets: ["DSP", "Realtime"]),
        .library(name: "YodelAudioUnits", targets: ["AudioUnits", "AudioDevices"]),
        .library(name: "YodelCall", targets: ["Calling", "Network", "JitterBuffer", "RTP", "Codecs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // 6: the command line
        .executableTarget(
            name: "yodel",
            dependencies: [
                "Settings", "Reporting", "Simulation", "Calling", "PacketCapture", "Network", "AudioDevices", "JitterBuffer",
                "AudioUnits", "RTP", "Codecs", "DSP", "Realtime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // 5: what the person asked for: configuration and call URI
        .target(name: "Settings", dependencies: ["Reporting", "JitterBuffer", "Codecs", "CYAML"]),
        // 5: virtual time, network emulator, two endpoints in one process
        .target(
            name: "Simulation",
            dependencies: [
                "Calling", "Reporting", "PacketCapture", "AudioDevices", "JitterBuffer", "AudioUnits", "RTP", "Codecs",
                "DSP", "Realtime",
            ]),
        // 4: the call
        .target(
            name: "Calling",
            dependencies: [
                "Reporting", "PacketCapture", "Network", "AudioDevices", "JitterBuffer", "AudioUnits", "RTP", "Codecs",
                "DSP", "Realtime",
            ]),
        // 3: what a call says about itself, and what may be asserted of it
        .target(name: "Reporting", dependencies: ["CJansson"]),
        // 2: edges and the jitter buffer
        .target(
            name: "AudioDevices",
            dependencies: ["AudioUnits", "DSP", "Realtime", "CALSA", "CSndFile"]),
        .target(name: "Network", dependencies: ["RTP", "Realtime", "CNetwork"]),
        .target(name: "JitterBuffer", dependencies: ["Codecs", "DSP", "Realtime"]),
        .target(name: "PacketCapture", dependencies: ["Realtime", "CPcap"]),
        // 1: protocol and signal rooms, sans-I/O
        .target(name: "AudioUnits", dependencies: ["DSP", "Realtime", "CSpeexDSP"]),
        .target(name: "Codecs", dependencies: ["DSP", "Realtime", "COpus"]),
        .target(name: "RTP", dependencies: ["Realtime"]),
        // 0: the ground
        .target(name: "DSP", dependencies: ["Realtime", "CSpeexDSP", "CKissFFT"]),
        .target(
            name: "Realtime",
            dependencies: ["CRealtime"],
            swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
        // C: module maps, and inline shims where a macro or variadic call needs one
        .target(name: "CRealtime"),
        .target(name: "CNetwork"),
        .systemLibrary(name: "CALSA", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        // Its header only: libpcap itself is loaded when a capture is read.
        .systemLibrary(name: "CPcap", providers: [.apt(["libpcap0.8-dev"])]),
        // Tests mirror the targets; CAudit counts allocations and locks inside the render scope, RenderAudit does so for calls
        .target(name: "CAudit", path: "Tests/CAudit"),
        .target(
            name: "RenderAudit",
            dependencies: [
                "CAudit", "Simulation", "Calling", "Network", "AudioDevices", "AudioUnits", "Codecs", "Realtime",
            ],
            path: "Tests/RenderAudit"),
        .testTarget(name: "RealtimeTests", dependencies: ["Realtime", "CAudit"]),
        .testTarget(name: "DSPTests", dependencies: ["DSP", "CAudit"]),
        .testTarget(name: "CodecsTests", dependencies: ["Codecs", "COpus"], exclude: ["Fixtures"]),
        .testTarget(name: "RTPTests", dependencies: ["RTP"], exclude: ["Fixtures"]),
        .testTarget(name: "NetworkTests", dependencies: ["Network", "RTP"]),
        .testTarget(name: "JitterBufferTests", dependencies: ["CAudit", "JitterBuffer", "Codecs"]),
        .testTarget(name: "PacketCaptureTests", dependencies: ["PacketCapture", "Realtime"]),
        .testTarget(name: "AudioUnitsTests", dependencies: ["CAudit", "AudioDevices", "AudioUnits", "DSP"]),
        .testTarget(
            name: "AudioDevicesTests",
            dependencies: ["RenderAudit", "CAudit", "AudioDevices", "AudioUnits", "Realtime"]),
        .testTarget(
            name: "CallingTests",
            dependencies: [
                "CAudit", "Calling", "Reporting", "PacketCapture", "Network", "AudioDevices", "AudioUnits", "JitterBuffer",
                "Codecs", "RTP", "Realtime",
            ]),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "Simulation", "Calling", "Reporting", "PacketCapture", "AudioDevices", "AudioUnits", "JitterBuffer", "RTP",
                "Codecs", "Realtime",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "RenderContractTests",
            dependencies: [
                "RenderAudit", "CAudit", "Simulation", "Calling", "AudioDevices", "AudioUnits", "Codecs", "Realtime",
            ]),
        .testTarget(name: "CommandLineTests", dependencies: ["Reporting", "Settings", "yodel"]),
        .testTarget(name: "ArchitectureTests", exclude: ["Fixtures"]),
    ],
    swiftLanguageModes: [.v6]
)
