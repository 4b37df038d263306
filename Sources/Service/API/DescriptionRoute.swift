/// The route of the description of all routes, openapi.yaml beside this file: whoever has the program alone has it too.
enum DescriptionRoute {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/openapi.yaml", isOpen: true) { _, _ in
            APIResponse(200, contentType: "application/yaml", .bytes(PackageResources.openapi_yaml))
        }
    ]
}
