// swift-tools-version: 6.2
import PackageDescription

/// Floors of the house, top down: a target imports only from lower floors (ArchitectureTests reads this file).
let package = Package(
    name: "yodel",
    products: [
        .executable(name: "yodel", targets: ["yodel"]),
        .library(name: "YodelAudioUnits", targets: ["AudioUnits", "AudioDevices"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        // 6: the command line
        .executableTarget(
            name: "yodel",
            dependencies: [
                "Simulation", "Calling", "Network", "AudioDevices", "JitterBuffer", "AudioUnits", "RTP", "Codecs", "DSP",
                "Realtime",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ]),
        // 5: virtual time, network emulator, two endpoints in one process
        .target(
            name: "Simulation",
            dependencies: ["Calling", "AudioDevices", "JitterBuffer", "AudioUnits", "RTP", "Codecs", "DSP", "Realtime"]),
        // 4: the call
        .target(
            name: "Calling",
            dependencies: [
                "Network", "AudioDevices", "JitterBuffer", "AudioUnits", "RTP", "Codecs", "DSP", "Realtime",
            ]),
        // 2: edges and the jitter buffer
        .target(
            name: "AudioDevices",
            dependencies: ["AudioUnits", "DSP", "Realtime", "CALSA", "CSndFile"]),
        .target(name: "Network", dependencies: ["RTP", "Realtime", "CNetwork"]),
        .target(name: "JitterBuffer", dependencies: ["Codecs", "DSP", "Realtime"]),
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
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        // Tests mirror the targets; CAudit counts allocations and locks inside the render scope
        .target(name: "CAudit", path: "Tests/CAudit"),
        .testTarget(name: "RealtimeTests", dependencies: ["Realtime"]),
        .testTarget(name: "DSPTests", dependencies: ["DSP"]),
        .testTarget(name: "CodecsTests", dependencies: ["Codecs"]),
        .testTarget(name: "RTPTests", dependencies: ["RTP"]),
        .testTarget(name: "NetworkTests", dependencies: ["Network", "RTP"]),
        .testTarget(name: "JitterBufferTests", dependencies: ["JitterBuffer", "Codecs"]),
        .testTarget(name: "AudioUnitsTests", dependencies: ["AudioUnits", "DSP"]),
        .testTarget(name: "AudioDevicesTests", dependencies: ["AudioDevices", "AudioUnits", "Realtime"]),
        .testTarget(name: "CallingTests", dependencies: ["Calling"]),
        .testTarget(name: "ScenarioTests", dependencies: ["Simulation", "Calling"]),
        .testTarget(name: "RenderContractTests", dependencies: ["CAudit", "Simulation", "Calling", "AudioUnits"]),
        .testTarget(name: "IntegrationTests", dependencies: ["Realtime"]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6]
)
