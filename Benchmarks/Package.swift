// swift-tools-version: 6.2
import PackageDescription

/// What only a comparison needs, kept away from those who only use yodel. Needs libjack-jackd2-dev.
let package = Package(
    name: "yodel-benchmarks",
    dependencies: [.package(name: "yodel", path: "..")],
    targets: [
        .executableTarget(
            name: "yodel-benchmarks",
            dependencies: [
                "CAffinity", "CJack", .product(name: "YodelCore", package: "yodel"),
                .product(name: "YodelAudioUnits", package: "yodel"), .product(name: "YodelCall", package: "yodel"),
            ]),
        .executableTarget(
            name: "unit-process", dependencies: [.product(name: "YodelAudioUnits", package: "yodel")]),
        .target(name: "CAffinity"),
        .systemLibrary(name: "CJack", providers: [.apt(["libjack-jackd2-dev"])]),
    ],
    swiftLanguageModes: [.v6]
)
