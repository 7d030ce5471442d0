internal import Foundation
internal import Platform

/// Handles Ctrl-C and termination signals: the program then exits in an orderly way instead of
/// being killed.
package final class ExitSignal {
    private let raised = Mutex(false)
    private var sources: [any DispatchSourceSignal] = []

    /// Ends a wait of `wakeUp` when a signal arrives.
    package init(_ wakeUp: WakeUp) {
        let raised = raised
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                raised.withLock { $0 = true }
                wakeUp.post()
            }
            source.activate()
            sources.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    package var isRaised: Bool { raised.withLock { $0 } }
}
