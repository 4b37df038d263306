// swift-tools-version: 6.2
import PackageDescription

/// Small programs on yodel's libraries, as somebody outside writes them: what they need is public.
///
/// `swift run --package-path Examples example-tone 2 default`. The main package builds the same sources, for its tests.
let units: [Target.Dependency] = [.product(name: "YodelAudioUnits", package: "yodel")]
let rings: [Target.Dependency] = units + [.product(name: "YodelCore", package: "yodel")]

let package = Package(
    name: "yodel-examples",
    dependencies: [.package(name: "yodel", path: "..")],
    targets: [
        .executableTarget(name: "example-tone", dependencies: units, path: "Sources/tone"),
        .executableTarget(name: "example-recorder", dependencies: rings, path: "Sources/recorder"),
        .executableTarget(name: "example-karaoke", dependencies: units, path: "Sources/karaoke"),
        .executableTarget(name: "example-equalizer", dependencies: units, path: "Sources/equalizer"),
        .executableTarget(name: "example-bounce", dependencies: units, path: "Sources/bounce"),
        .executableTarget(name: "example-tremolo", dependencies: units, path: "Sources/tremolo"),
        .executableTarget(
            name: "example-intercom", dependencies: rings + [.product(name: "YodelCall", package: "yodel")],
            path: "Sources/intercom"),
        .executableTarget(name: "example-spectrum", dependencies: rings, path: "Sources/spectrum"),
    ],
    swiftLanguageModes: [.v6]
)
