public import SessionPolicy

/// All that an arbiter knows at one moment, for tools.
public struct ArbiterReport: Hashable, Sendable, Codable {
    /// Tells this arbiter from those before and after it.
    public var arbiter: UInt64
    public var process: Int32
    /// Seconds since it began.
    public var uptime: Double
    /// Its settings, as read from the file and by default.
    public var settings: ArbiterSettings
    /// The number of the last decision.
    public var decisions: UInt64
    public var clients: [Client]
    public var sessions: [SessionNews]
    public var system: SystemRecord
    public var apps: [AppState]
    public var hardware: HardwareWish

    public struct Client: Hashable, Sendable, Codable {
        public var app: AppID
        public var process: Int32
        /// The path of its executable; empty when it cannot be told.
        public var program: String
        public var isTrusted: Bool
        /// Whether it has answered its last ping in time.
        public var isAnswering: Bool

        public init(app: AppID, process: Int32, program: String, isTrusted: Bool, isAnswering: Bool) {
            self.app = app
            self.process = process
            self.program = program
            self.isTrusted = isTrusted
            self.isAnswering = isAnswering
        }
    }
}
