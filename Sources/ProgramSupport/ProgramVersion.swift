internal import CPlatform
internal import SessionArbiter

/// What `--version` prints.
package enum ProgramVersion {
    /// Returns the version of a program, and of the interfaces that it has in common with other
    /// programs.
    package static func text(_ program: String) -> String {
        """
        \(program) (swift-audio-session) \(PLATFORM_VERSION)
        protocol of the arbiter: \(ArbiterProtocol.supportedVersions)
        binary interface of the C libraries: \(PLATFORM_BINARY_INTERFACE)
        """
    }
}
