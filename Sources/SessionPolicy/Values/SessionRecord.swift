/// What the client of a session hands the next arbiter: the last that it was told.
public struct SessionRecord: Hashable, Sendable, Codable {
    public var session: SessionState
    /// When it was granted last: activations of all sessions in one order, over all arbiters; 0: never.
    public var grant: UInt64
    /// Its place among those who asked to wait (ACT-14), in the same order of numbers; nil: it did not.
    public var pending: UInt64?
    /// What is known of its app.
    public var app: AppState
    /// What it was granted, so that it is told if it is granted something else now; nil when nobody knows.
    public var standing: Standing?

    public init(
        session: SessionState, grant: UInt64, pending: UInt64? = nil, app: AppState, standing: Standing? = nil
    ) {
        self.session = session
        self.grant = grant
        self.pending = pending
        self.app = app
        self.standing = standing
    }
}
public struct SystemRecord: Hashable, Sendable, Codable { public init() {} }
