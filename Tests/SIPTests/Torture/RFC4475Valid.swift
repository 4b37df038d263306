extension TortureVector {
    /// RFC 4475 section 3.1.1: odd but right, in words of our own.
    static let rfc4475Valid: [TortureVector] = [
        TortureVector(
            "wsinv", "3.1.1.1", .rings,
            wire(
                """
                INVITE sip:me@192.0.2.1;odd SIP/2.0
                tO :
                 sip:me@192.0.2.1 ;   tag    = nobodys
                from   : "Quote \\\\\\" in it"       <sip:peer@example.com>
                  ;
                  tag = far
                mAx-FORwards: 0042
                Call-ID: wsinv-like@192.0.2.9
                Content-Length   : 0
                cseq: 0008
                  INVITE
                Via  : SIP  /   2.0
                 /UDP
                    192.0.2.9;branch=z9hG4bKwhite
                s :
                Brand-New:   value
                 that goes on
                Odd-Value: ;;,,;;,;
                Route:
                 <sip:p.example.com;lr;with=value;without>
                v:  SIP  / 2.0  / TCP     q.example.com   ;
                  branch  =   z9hG4bKq  ,
                 SIP  /    2.0   / UDP  192.0.2.77   ; branch=
                 z9hG4bKr
                m:"Quoted \\"\\"" <sip:peer@192.0.2.9> ; new =
                      value ;
                  second ; q = 0.25


                """.replacing(" ;   tag    = nobodys", with: ""))),
        TortureVector(
            "intmeth", "3.1.1.2", .answered([405, 501]),
            Draft("!Odd-0_*+`.%'~") {
                $0.target = "sip:1_odd~(user)&x'y+z$/a?b,c/;;*:&pw=1,2!*p$w~d_.(e)@192.0.2.1"
                $0.to = "\"BEL:\\\u{7} NUL:\\\u{0} DEL:\\\u{7f}\" <sip:1_odd~(user)$/a?b,c/;;*@192.0.2.1>"
                $0.from = "a~` b'+_ c*%!.- <sip:plain@example.com>;p''~+*_!.-%=\"\u{440}\u{430}\";tag=_t~1'+`*%!-."
                $0.callID = "w%K-!.*_+'@x`~)(><:\\/\"][?}{"
                $0.via = ["SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK-.!%66*_+`'~;rport"]
                $0.extra = "ext-!.%*+_`'~:\u{FEFF}\u{5927}\n"
            }),
        TortureVector(
            "esc01", "3.1.1.3", .rings,
            Draft("INVITE") {
                $0.target = "sip:sips%3Ame%40example.com@192.0.2.1"
                $0.to = "sip:%6De@example.com"
                $0.from = "<sip:with%20blanks@example.net>;tag=9"
                $0.contact = ["<sip:c%61ller@192.0.2.9;%6C%72;n%61me=v%61lue%25%34%31>"]
            }),
        TortureVector(
            "escnull", "3.1.1.4", .answered([405]),
            Draft("REGISTER") {
                $0.to = "sip:nul-%00-nul@example.com"
                $0.contact = ["<sip:%00@192.0.2.9>", "<sip:%00%00@192.0.2.9>"]
            }),
        TortureVector(
            "esc02", "3.1.1.5", .answered([501]),
            Draft("RE%47IST%45R") {
                $0.to = "\"%Z%45\" <sip:me@example.com>"
                $0.via = ["SIP/2.0/TCP h.example.com;branch=z9hG4bK1%fzx2"]
                $0.extra = "C%6Fntact: <sip:other@example.com>\n"
            }),
        TortureVector(
            "lwsdisp", "3.1.1.6", .answered([200]), Draft { $0.from = "peer<sip:peer@example.com>;tag=9" }),
        TortureVector(
            "longreq", "3.1.1.7", .rings,
            Draft("INVITE") {
                let long = String(repeating: "long", count: 40)
                $0.to = "\"\(long)\" <sip:me@example.com:6000;p\(long)=\(long)>"
                $0.from = "sip:\(long)@example.net;tag=\(long);\(long)=\(long);\(long)"
                $0.callID = long
                $0.extra += "Unknown-\(long): \(long); \(long)=\(long)\n"
                $0.via =
                    ["SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK\(long)"]
                    + (1...34).map { "SIP/2.0/TCP h\($0).example.com" }
                $0.contact = ["<sip:\(long)@192.0.2.9>"]
            }),
        TortureVector(
            "dblreq", "3.1.1.8", .answered([405]),
            Draft("REGISTER") {
                $0.contentLength = "0"
                $0.end = "\n\n\n"
            }.bytes + Draft("INVITE").bytes),
        TortureVector(
            "semiuri", "3.1.1.9", .answered([200]), Draft { $0.target = "sip:me;par=u%40example.net@192.0.2.1" }),
        TortureVector(
            "transports", "3.1.1.10", .answered([200]),
            Draft {
                $0.via = ["UDP", "SCTP", "TLS", "UNHEARD", "TCP"].enumerated().map {
                    "SIP/2.0/\($1) t\($0).example.com;branch=z9hG4bKt\($0)"
                }
            }),
        TortureVector(
            "mpart01", "3.1.1.11", .answered([200, 415]),
            Draft("MESSAGE") {
                $0.extra = "Content-Type: multipart/mixed;boundary=edge\n"
                $0.body =
                    "--edge\nContent-Type: text/plain\n\nHello\n--edge\n"
                    + "Content-Type: application/octet-stream\n\n\u{0}\u{1}\u{2}\n\u{7f}--x\n--edge--\n"
            }),
        TortureVector("unreason", "3.1.1.12", .dropped, .response("SIP/2.0 200 = 2**3 * 5**2 \u{43D}\u{43E}")),
        TortureVector("noreason", "3.1.1.13", .dropped, .response("SIP/2.0 100 ")),
        TortureVector(
            "badbranch", "3.2.1", .answered([200]), Draft { $0.via = ["SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK"] }),
    ]
}
