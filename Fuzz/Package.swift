// swift-tools-version: 6.2
import PackageDescription

/// Coverage-guided fuzzing with libFuzzer (`scripts/fuzz`), kept away from those who only use yodel.
///
/// The house is built again here, since the compiler has to count what runs in it; `House` is a link to its
/// sources, which scripts/fuzz makes, and the targets
/// are those of ../Package.swift. scripts/fuzz links the library with libFuzzer's `main`.
func house(_ name: String, _ dependencies: [Target.Dependency] = [], lifetimes: Bool = false) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "House/\(name)",
        swiftSettings: lifetimes ? [.enableExperimentalFeature("Lifetimes")] : [])
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

func system(_ name: String) -> Target { .systemLibrary(name: name, path: "House/\(name)") }

let package = Package(
    name: "yodel-fuzz",
    products: [.library(name: "YodelFuzz", type: .static, targets: ["FuzzTargets"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Settings", "Simulation", "LiveMedia", "Media", "PacketCapture", "JitterBuffer", "AudioFiles", "RTP", "Codecs",
                "PeerSignalling", "SIP", "SDP", "ICE", "SecureRTP", "Link", "Realtime",
            ]),
        house("Settings", ["Reporting", "Link", "JitterBuffer", "AudioUnits", "Codecs", "RTP", "CYAML"]),
        house(
            "Simulation",
            [
                "LiveMedia", "Media", "Reporting", "PacketCapture", "AudioDevices", "JitterBuffer", "AudioUnits", "SecureRTP",
                "RTP", "Codecs", "DSP", "Link", "Metrics", "Realtime",
            ]),
        house(
            "LiveMedia",
            [
                "Media", "AudioSession", "PacketCapture", "Network", "AudioDevices", "JitterBuffer", "AudioUnits",
                "AudioFiles", "RTP", "Codecs", "DSP", "Link", "Metrics", "Threads", "Realtime",
            ]),
        house("Media", ["JitterBuffer", "RTP", "Codecs", "DSP", "Link", "Metrics", "Realtime"]),
        house("Reporting", ["Metrics", "CJansson"]),
        house("AudioSession", ["AudioUnits", "Threads", "Realtime", "CPulse"]),
        house("AudioDevices", ["AudioUnits", "AudioFiles", "DSP", "Threads", "Realtime", "CALSA", "CPulse"]),
        house("Network", ["RTP", "Link", "Realtime", "CNetwork", "CDTLS"]),
        house("JitterBuffer", ["Codecs", "DSP", "Realtime"]),
        house("PacketCapture", ["Realtime", "CPcap"]),
        house("AudioUnits", ["AudioFiles", "DSP", "Metrics", "Threads", "Realtime", "CSpeexDSP"]),
        house("Codecs", ["DSP", "Realtime", "COpus", "CSpanDSP"]),
        house("RTP", ["Link", "Realtime"]),
        house("PeerSignalling", ["SDP", "SecureRTP", "Realtime"]),
        house("ICE", ["Link", "Realtime", crypto]), house("SIP", ["Link", "Realtime", crypto, cryptoExtras]),
        house("SDP", ["Link"]),
        house("SecureRTP", ["Link", "Realtime", "CSRTP", "CSRTPCiphers", "CDTLS"]),
        house("Link", ["Realtime"]), house("Metrics"), house("Threads", ["Realtime", "CRealtime"]),
        house("AudioFiles", ["DSP", "Threads", "Realtime", "CSndFile"]),
        house("DSP", ["Realtime", "CSpeexDSP", "CKissFFT"]),
        house("Realtime", ["CRealtime"], lifetimes: true),
        house("CRealtime"), house("CNetwork"), house("CDTLS"), house("CSRTPCiphers"),
        system("CALSA"), system("CSpeexDSP"), system("COpus"), system("CSndFile"), system("CJansson"), system("CYAML"),
        system("CKissFFT"), system("CPcap"), system("CPulse"), system("CSpanDSP"), system("CSRTP"),
    ],
    swiftLanguageModes: [.v6]
)
