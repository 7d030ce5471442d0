/// The thread on which the app receives notifications.
extension AudioSessionHost {
    /// Where the notifications of a host's sessions are posted.
    public typealias NotificationThread = AudioSessionNotificationThread

    /// Where notifications are posted. Initially `automatic` for `shared` and for hosts with
    /// arbitration `automatic`, and `library` for others, which suits tests and offline rendering.
    ///
    /// Set it before the first activation: a new value applies to notifications from then on, and
    /// those that already wait for the main queue stay there.
    public var notificationThread: NotificationThread {
        get { poster.thread }
        set { poster.thread = newValue }
    }

    /// Calls a handler of the app where notifications are posted.
    package func callHandler(_ body: @escaping @Sendable () -> Void) { poster.post(body) }
}
