/// The user's settings for programs that do not use this library (`audiosession-adopt`).
public struct AdoptionSettings: Hashable, Sendable, Codable {
    /// Whether media players interrupt each other. Otherwise they mix. Default true.
    public var playersInterrupt = true
    /// Whether programs that lower others do so only while they are audible. Otherwise they lower
    /// them as long as they play. Default true.
    public var ducksOnlyWhileAudible = true
    /// The absolute paths of programs whose media role is believed, although others than the
    /// administrator can change them.
    public var trustedRoles: [String] = []
    /// Settings for single programs; the first match applies.
    public var programs: [Program] = []

    public init() {}

    public struct Program: Hashable, Sendable, Codable {
        /// The path of the program, its file name, its desktop id or its name on the session bus.
        public var name: String
        /// What it is; nil: as the evidence says.
        public var kind: ProgramKind?
        /// The attenuation while it is ducked, in dB; nil: that of the arbiter.
        public var attenuation: Double?
        /// Whether it lowers others, if it does, only while it is audible; nil: as for all
        /// programs.
        public var ducksOnlyWhileAudible: Bool?
        /// Whether it is left alone.
        public var isIgnored: Bool

        public init(
            _ name: String, kind: ProgramKind? = nil, attenuation: Double? = nil, ducksOnlyWhileAudible: Bool? = nil,
            isIgnored: Bool = false
        ) {
            self.name = name
            self.kind = kind
            self.attenuation = attenuation
            self.ducksOnlyWhileAudible = ducksOnlyWhileAudible
            self.isIgnored = isIgnored
        }

        /// The maximum number of programs.
        static let maximumCount = 256
    }
}

/// What a program is to the arbiter, from the strongest effect on others to the weakest.
public enum ProgramKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A call: an input and an output of one program.
    case conversation
    /// Speech over other sound: navigation, an assistant, a screen reader.
    case prompt
    case movie, music, game
    /// A short sound of the desktop. It is never held.
    case notification
    /// A program of which nothing is known.
    case other
}
