import Testing

@Suite("Layers") struct LayerTests {
    /// The house's floors. A target may import only from floors strictly below its own.
    private static let floors: [String: Double] = [
        "yodel": 7, "Service": 6, "Control": 6, "Loopback": 6, "Load": 6, "Studio": 6, "Diagnosis": 5.5, "Softphone": 5,
        "Simulation": 5,
        "CommandOptions": 5, "Settings": 4, "LiveMedia": 4,
        "Signalling": 4, "Terminal": 4, "History": 4,
        "Media": 3, "WebClient": 3, "Reporting": 3, "AudioSession": 3,
        "AudioDevices": 2, "Network": 2, "SignallingTransport": 2, "PeerSignalling": 2, "JitterBuffer": 2, "PacketCapture": 2,
        "AudioUnits": 1,
        "Codecs": 1, "ICE": 1, "RTP": 1, "SDP": 1, "SIP": 1, "SecureRTP": 1, "AudioFiles": 0.75, "DSP": 0.5, "Link": 0.5,
        "Threads": 0.5,
        "Metrics": 0, "Realtime": 0,
    ]
    /// What stands below that wall besides lower floors: sockets and wall clocks stay out of simulations.
    private static let forbidden: [String: Set<String>] = ["Simulation": ["Network"]]
    /// Modules of the toolchain that any target may import.
    private static let toolchain: Set<String> = ["Glibc", "Synchronization", "Dispatch"]
    /// The only rooms where Foundation's small half may stand.
    private static let mayUseFoundationEssentials: Set<String> = [
        "yodel", "Loopback", "Settings", "Simulation", "Reporting", "LiveMedia",
    ]

    private struct Import {
        let target: String
        let module: String
        let place: String
    }

    private func imports() throws -> [Import] {
        let files = try Repository.files(in: "Sources", endingIn: [".swift"])
        try #require(files.count > 20)
        return files.flatMap { file in
            let target = String(file.path.split(separator: "/")[1])
            return file.lines.enumerated().compactMap { number, line -> Import? in
                let pattern = #/\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|private)\s+)?import\s+(.+)/#
                guard let match = line.prefixMatch(of: pattern) else { return nil }
                let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
                let words = match.1.split(whereSeparator: \.isWhitespace)
                guard let path = words.first(where: { !kinds.contains($0) }), let name = path.split(separator: ".").first
                else { return nil }
                return Import(target: target, module: String(name), place: "\(file.path):\(number + 1)")
            }
        }
    }

    @Test("every target stands on a floor, and every floor is a target")
    func floorsAreComplete() throws {
        let manifest = PackageManifest(try Repository.text("Package.swift"))
        let swift = Set(try imports().map(\.target)).union(Self.floors.keys)
        for target in swift {
            #expect(Self.floors[target] != nil, "\(target) has no floor")
            #expect(manifest.dependencies[target] != nil, "\(target) is not in Package.swift")
        }
    }

    @Test("imports point down and are declared in Package.swift")
    func importsPointDown() throws {
        let manifest = PackageManifest(try Repository.text("Package.swift"))
        let all = try imports()
        try #require(all.contains { $0.target == "Codecs" && $0.module == "COpus" })
        for item in all where !Self.toolchain.contains(item.module) && !item.module.hasPrefix("Foundation") {
            let declared = manifest.dependencies[item.target] ?? []
            #expect(declared.contains(item.module), "\(item.place) imports \(item.module), which it does not depend on")
            if let own = Self.floors[item.target], let other = Self.floors[item.module] {
                #expect(other < own, "\(item.place): \(item.target) must not know of \(item.module)")
            }
            let closed = Self.forbidden[item.target]?.contains(item.module) ?? false
            #expect(!closed, "\(item.place): \(item.target) must not know of \(item.module)")
        }
    }

    @Test("the manifest's dependencies point down too, whether imported or not")
    func manifestPointsDown() throws {
        let manifest = PackageManifest(try Repository.text("Package.swift"))
        #expect(manifest.dependencies["Codecs"] == ["DSP", "Realtime", "COpus", "CSpanDSP"])
        for (target, dependencies) in manifest.dependencies {
            for dependency in dependencies {
                guard let own = Self.floors[target], let other = Self.floors[dependency] else { continue }
                #expect(other < own, "Package.swift: \(target) depends on \(dependency)")
            }
            #expect(Self.forbidden[target]?.isDisjoint(with: dependencies) ?? true, "Package.swift: \(target)")
        }
    }

    @Test("the media of a call knows neither sockets nor threads nor devices, not through another target either")
    func mediaIsSansIO() throws {
        let manifest = PackageManifest(try Repository.text("Package.swift"))
        let edges: Set<String> = [
            "Network", "Threads", "AudioDevices", "AudioSession", "AudioUnits", "AudioFiles", "PacketCapture",
        ]
        var reached: Set<String> = []
        var waiting: [String] = ["Media"]
        while let target = waiting.popLast() {
            guard reached.insert(target).inserted else { continue }
            waiting += manifest.dependencies[target] ?? []
        }
        try #require(reached.contains("RTP") && reached.contains("JitterBuffer"))
        #expect(reached.isDisjoint(with: edges), "Media reaches \(reached.intersection(edges).sorted())")
        for file in try Repository.files(in: "Sources/Media", endingIn: [".swift"]) {
            for call in ["socket(", "pthread_", "fopen(", "snd_pcm_", "monotonicNow("] {
                #expect(!file.lines.contains { $0.contains(call) }, "\(file.path) calls \(call)")
            }
        }
    }

    @Test("Foundation is nowhere in Sources, and its small half only where a call does not pay for it")
    func noFoundation() throws {
        for item in try imports() where item.module.hasPrefix("Foundation") {
            let allowed = item.module == "FoundationEssentials" && Self.mayUseFoundationEssentials.contains(item.target)
            #expect(allowed, "\(item.place) imports \(item.module)")
        }
    }
}
