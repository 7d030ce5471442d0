/// Where the notifications of a host's sessions are posted, except `routeChangeNotification`: that
/// one is always posted on a library thread, because the new route is applied after it (ROUTE-4).
public enum AudioSessionNotificationThread: String, Sendable, CaseIterable {
    /// As `main` in a program that runs the main queue, otherwise as `library`. A block that the
    /// library adds to the main queue when the host is created proves that the program runs it;
    /// until that block has run, notifications are posted on a library thread.
    case automatic
    /// On the main queue, as on iOS: observers may use main-actor state. That is the main thread
    /// where `RunLoop.main` runs, and the thread that runs the main queue after `dispatchMain()`
    /// and in an `async` main function.
    ///
    /// The library does not wait for them: while the main queue does not run, up to 1,024
    /// notifications wait, of which the oldest are then lost, and audio continues. A warning on
    /// standard error reports the loss, and notifications that have waited for 5 s.
    case main
    /// On a library thread, one at a time.
    case library
}
