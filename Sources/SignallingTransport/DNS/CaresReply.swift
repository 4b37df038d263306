import CCares

/// Reads the answers of c-ares.
enum CaresReply {
    static func answer(
        to question: DNSQuestion, _ status: CInt, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: CInt
    ) -> DNSAnswer {
        if let failure = failure(status) { return failure }
        switch question {
        case .naptr: return naptr(bytes, count)
        case .srv: return srv(bytes, count)
        case .addresses: return .nothing
        }
    }

    /// nil: there is an answer.
    static func failure(_ status: CInt) -> DNSAnswer? {
        switch status {
        case ARES_SUCCESS: nil
        // No such name, no such record, a name that cannot be one.
        case ARES_ENODATA, ARES_ENOTFOUND, ARES_EBADNAME: .nothing
        case ARES_ETIMEOUT: .failed(.timedOut)
        // Also what is left when each server has said REFUSED or SERVFAIL.
        case ARES_ECONNREFUSED: .failed(.refused("none of the name servers answers it"))
        case ARES_ECANCELLED, ARES_EDESTRUCTION: .failed(.noServer("stopped"))
        default: .failed(.refused(CaresChannel.words(status)))
        }
    }

    private static func srv(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: CInt) -> DNSAnswer {
        var list: UnsafeMutablePointer<ares_srv_reply>?
        let status = ares_parse_srv_reply(bytes, count, &list)
        defer { if let list { ares_free_data(list) } }
        if let failure = failure(status) { return failure }
        var records: [SRVRecord] = []
        var next = list
        while let record = next?.pointee, records.count < 256 {
            records.append(
                SRVRecord(
                    priority: record.priority, weight: record.weight, port: record.port,
                    target: record.host.map { String(cString: $0) } ?? ""))
            next = record.next
        }
        return records.isEmpty ? .nothing : .srv(records)
    }

    private static func naptr(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: CInt) -> DNSAnswer {
        var list: UnsafeMutablePointer<ares_naptr_reply>?
        let status = ares_parse_naptr_reply(bytes, count, &list)
        defer { if let list { ares_free_data(list) } }
        if let failure = failure(status) { return failure }
        var records: [NAPTRRecord] = []
        var next = list
        while let record = next?.pointee, records.count < 256 {
            records.append(
                NAPTRRecord(
                    order: record.order, preference: record.preference,
                    flags: record.flags.map { String(cString: $0) } ?? "",
                    service: record.service.map { String(cString: $0) } ?? "",
                    replacement: record.replacement.map { String(cString: $0) } ?? ""))
            next = record.next
        }
        return records.isEmpty ? .nothing : .naptr(records)
    }
}
