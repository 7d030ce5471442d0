import TestSupport

extension JackServer {
    /// Returns the connections of the client's ports, as another program sees them.
    func links(of client: String) throws -> Set<String> {
        let listing = try ChildProcess.run("jack_lsp", ["-c", client + ":"], environment: environment)
        var links: Set<String> = []
        var port = ""
        for line in listing.output.split(separator: "\n") {
            if line.hasPrefix("   ") {
                links.insert("\(port) → \(line.drop { $0 == " " })")
            } else {
                port = String(line)
            }
        }
        return links
    }
}
