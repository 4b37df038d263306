import Foundation
import Testing

import Softphone

@Suite("Who shares an account") struct InstanceSeatTests {
    private func withFolder(_ body: (String) throws -> Void) rethrows {
        let folder = NSTemporaryDirectory() + "yodel-seat-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/state/yodel")
    }

    @Test("is the same at the next start, and another one beside it")
    func kept() {
        withFolder { folder in
            var first: InstanceSeat? = InstanceSeat(folder: folder)
            let urn = first?.urn ?? ""
            #expect(first?.isKept == true && UUID(uuidString: String(urn.dropFirst("urn:uuid:".count))) != nil, "\(urn)")
            let second = InstanceSeat(folder: folder)
            #expect(second.isKept && second.urn != urn)
            first = nil
            let again = InstanceSeat(folder: folder)
            #expect(again.urn == urn && again.isKept)
            withExtendedLifetime(second) {}
        }
    }

    @Test("is of one run where nothing can be kept", arguments: [nil, "/proc/no/such", "/dev/null/folder"] as [String?])
    func unkept(folder: String?) {
        let seats = [InstanceSeat(folder: folder), InstanceSeat(folder: folder)]
        #expect(seats[0].urn != seats[1].urn && seats.allSatisfy { !$0.isKept && $0.urn.hasPrefix("urn:uuid:") })
    }

    @Test("a file with something else in it is written anew")
    func broken() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("urn:uuid:not-one\n\0more".utf8).write(to: URL(fileURLWithPath: folder + "/instance"))
            let urn = InstanceSeat(folder: folder).urn
            #expect(UUID(uuidString: String(urn.dropFirst("urn:uuid:".count))) != nil)
            #expect(InstanceSeat(folder: folder).urn == urn)
        }
    }
}
