extension TortureVector {
    /// RFC 4475 section 3.1.2: wrong, each in one point.
    static let rfc4475Invalid: [TortureVector] = [
        TortureVector(
            "badinv01", "3.1.2.1", .answered([400]),
            Draft("INVITE") {
                $0.via = ["SIP/2.0/UDP 192.0.2.9;;,;,,"]
                $0.contact = ["\"J\" <sip:j@example.org>;;;;"]
            }),
        TortureVector("clerr", "3.1.2.2", .answered([400]), Draft("INVITE") { $0.contentLength = "9999" }),
        TortureVector("ncl", "3.1.2.3", .answered([400]), Draft("INVITE") { $0.contentLength = "-999" }),
        TortureVector(
            "scalar02", "3.1.2.4", .answered([400]),
            Draft("REGISTER") {
                $0.cSeq = "36893488147419103232 REGISTER"
                $0.extra = "Expires: 1\(String(repeating: "0", count: 90))\n"
                $0.contact = ["<sip:me@192.0.2.9>\n  ;expires=280297596632815"]
            }),
        TortureVector(
            "scalarlg", "3.1.2.5", .dropped,
            .response("SIP/2.0 503 Service Unavailable") {
                $0.cSeq = "9292394834772304023312 OPTIONS"
                $0.extra = "Retry-After: 949302838503028349304023988\nWarning: 1812 x \"In Progress\"\n"
            }),
        TortureVector(
            "quotbal", "3.1.2.6", .answered([400]), Draft("INVITE") { $0.to = "\"Never closed <sip:me@example.com>" }),
        TortureVector("ltgtruri", "3.1.2.7", .answered([400]), Draft("INVITE") { $0.target = "<sip:me@192.0.2.1>" }),
        TortureVector("lwsruri", "3.1.2.8", .answered([400]), Draft("INVITE") { $0.target = "sip:me@192.0.2.1; lr" }),
        TortureVector(
            "lwsstart", "3.1.2.9", .answered([400]),
            Draft("INVITE") { $0.startLine = "INVITE  sip:me@192.0.2.1  SIP/2.0" }),
        TortureVector("trws", "3.1.2.10", .answered([400]), Draft { $0.startLine = "OPTIONS sip:me@192.0.2.1 SIP/2.0  " }),
        TortureVector(
            "escruri", "3.1.2.11", .answered([400]),
            Draft("INVITE") { $0.target = "sip:me@192.0.2.1?Route=%3Csip:example.com%3E" }),
        TortureVector(
            "baddate", "3.1.2.12", .rings, Draft("INVITE") { $0.extra += "Date: Fri, 01 Jan 2010 16:00:00 EST\n" }),
        TortureVector(
            "regbadct", "3.1.2.13", .answered([400]),
            Draft("REGISTER") { $0.contact = ["sip:me@192.0.2.9?Route=%3Csip:sip.example.com%3E"] }),
        TortureVector("badaspec", "3.1.2.14", .answered([400]), Draft { $0.to = "\"W, T\" < sip:me@example.org >" }),
        TortureVector(
            "baddn", "3.1.2.15", .answered([400]),
            Draft {
                $0.from = "Bell, A <sip:peer@example.com>;tag=4"
                $0.end = ""
            }),
        TortureVector("badvers", "3.1.2.16", .answered([505]), Draft { $0.startLine = "OPTIONS sip:me@192.0.2.1 SIP/7.0" }),
        TortureVector("mismatch01", "3.1.2.17", .answered([400]), Draft { $0.cSeq = "8 INVITE" }),
        TortureVector("mismatch02", "3.1.2.18", .answered([400, 501]), Draft("NEWMETHOD") { $0.cSeq = "8 INVITE" }),
        TortureVector("bigcode", "3.1.2.19", .dropped, .response("SIP/2.0 4294967301 too big")),
    ]

    /// RFC 4475 sections 3.3 and 3.4: well formed, and refused or taken for what they ask.
    static let rfc4475Semantics: [TortureVector] = [
        TortureVector(
            "insuf", "3.3.1", .answered([400]),
            Draft("INVITE") {
                $0.callID = nil
                $0.from = nil
                $0.to = nil
                $0.maxForwards = nil
            }),
        TortureVector("unkscm", "3.3.2", .answered([416]), Draft { $0.target = "whatIsThis:opaque" }),
        TortureVector("novelsc", "3.3.3", .answered([416]), Draft { $0.target = "soap.beep://192.0.2.103:3002" }),
        TortureVector(
            "unksm2", "3.3.4", .answered([405]),
            Draft("REGISTER") {
                $0.to = "isbn:2983792873"
                $0.from = "<http://www.example.com>;tag=3"
                $0.contact = ["<name:John_Smith>"]
            }),
        TortureVector(
            "bext01", "3.3.5", .answered([420]),
            Draft { $0.extra = "Require: nobodyHasThis, norThis\nProxy-Require: forProxies\n" }),
        TortureVector(
            "invut", "3.3.6", .answered([415]),
            Draft("INVITE") {
                $0.extra = "Content-Type: application/unheard\n"
                $0.body = "<audio/>\n"
            }),
        TortureVector(
            "regaut01", "3.3.7", .answered([405]), Draft("REGISTER") { $0.extra = "Authorization: NoScheme data=here\n" }),
        TortureVector(
            "multi01", "3.3.8", .answered([400]),
            Draft("INVITE") {
                $0.extra += "CSeq: 59 INVITE\nCall-ID: other\nTo: sip:x@example.net\nFrom: sip:y@example.net;tag=2\n"
                $0.extra += "Max-Forwards: 5\n"
            }),
        TortureVector(
            "mcl01", "3.3.9", .answered([400]),
            Draft {
                $0.extra = "Content-Length: 13\n"
                $0.contentLength = "5"
                $0.body = "How long is this?"
            }),
        TortureVector(
            "bcast", "3.3.10", .dropped,
            .response("SIP/2.0 200 OK") { $0.via.append("SIP/2.0/UDP 255.255.255.255;branch=z9hG4bKb") }),
        TortureVector("zeromf", "3.3.11", .answered([200]), Draft { $0.maxForwards = "0" }),
        TortureVector("cparam01", "3.3.12", .answered([405]), Draft("REGISTER") { $0.contact = ["sip:+1@gw.example.net;x"] }),
        TortureVector(
            "cparam02", "3.3.13", .answered([405]), Draft("REGISTER") { $0.contact = ["<sip:+1@gw.example.net;x>"] }),
        TortureVector(
            "regescrt", "3.3.14", .answered([405]),
            Draft("REGISTER") { $0.contact = ["<sip:me@example.com?Route=%3Csip:sip.example.com%3E>"] }),
        TortureVector(
            "sdp01", "3.3.15", .answered([406]), Draft("INVITE") { $0.extra += "Accept: text/nobodyReadsThis\n" }),
        TortureVector(
            "inv2543", "3.4.1", .rings,
            Draft("INVITE") {
                $0.via = ["SIP/2.0/UDP gw.example.com"]
                $0.from = "<sip:+13035551111@example.net;user=phone>"
                $0.to = "sip:+16505552222@example.net;user=phone"
                $0.contact = []
                $0.extra += "Record-Route: <sip:me@example.com;maddr=ss1.example.com>\n"
                $0.maxForwards = nil
                $0.contentLength = ""
            }),
        TortureVector(
            "test", "in no section", .anything,
            wire("INVITE sip:me@192.0.2.1\nTO : me@192.0.2.1\nFrom: x@example.com\nno colon here\nContent-Length: 4\n\nv=0\n")),
    ]
}
