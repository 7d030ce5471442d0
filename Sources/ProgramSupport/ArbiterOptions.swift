package import ArgumentParser
package import SessionArbiter

/// The option that chooses an arbiter.
package struct ArbiterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The socket of audiosessiond. Default: AUDIOSESSION_SOCKET, else audiosession/arbiter.socket in \
            XDG_RUNTIME_DIR, else /tmp/audiosession-UID/arbiter.socket.
            """,
            valueName: "path"), completion: .file())
    package var socket: String?

    package init() {}

    package var address: ArbiterAddress {
        get throws(ArbiterError) {
            guard let socket else { return try ArbiterAddress.standard() }
            return try ArbiterAddress(path: socket)
        }
    }
}
