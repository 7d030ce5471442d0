import AudioRendering
import Dispatch
import Foundation
import Platform

/// Handles Ctrl-C and termination signals: the player then exits in an orderly way instead of being
/// killed.
final class ExitSignal {
    private let raised = Mutex(false)
    private let pipe = Pipe()
    private var sources: [any DispatchSourceSignal] = []

    init() {
        let raised = raised
        let writing = pipe.fileHandleForWriting.fileDescriptor
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                raised.withLock { $0 = true }
                var byte: UInt8 = 0
                _ = write(writing, &byte, 1)
            }
            source.activate()
            sources.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    var isRaised: Bool { raised.withLock { $0 } }

    /// Waits for that time, or until a signal arrives or, with `orInput`, a key is pressed.
    func wait(milliseconds: Int32, orInput: Bool) {
        var descriptors = [
            pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: orInput ? 0 : -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }
}
