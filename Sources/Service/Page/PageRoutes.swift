/// The page by which a person calls with a browser. It holds no secret: the token stands in the fragment of its address, which no
/// browser sends.
enum PageRoutes {
    static let all: [Route<ServiceCore>] = routes(html: PageFiles.html, script: PageFiles.script)

    /// The routes of a page's files.
    static func routes<Target: Sendable>(html: String, script: String) -> [Route<Target>] {
        [
            Route("GET", "/", isOpen: true) { _, _ in file(html, "text/html; charset=utf-8") },
            Route("GET", "/page.js", isOpen: true) { _, _ in file(script, "text/javascript; charset=utf-8") },
            Route("GET", "/page.css", isOpen: true) { _, _ in file(PageFiles.style, "text/css; charset=utf-8") },
        ]
    }

    /// Nothing from elsewhere, nothing inline, no frame around it.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self' blob: mediastream:; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static func file(_ text: String, _ contentType: String) -> APIResponse {
        var response = APIResponse.text(text, contentType: contentType)
        response.headers = [
            ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
            ("Permissions-Policy", "microphone=(self)"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ]
        return response
    }
}
