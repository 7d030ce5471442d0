import PeerProtocol
import Synchronization

/// The stream that the benchmark controls, once it is open.
private let stream = Mutex<Stream?>(nil)

func openStream(
    _ options: UnsafePointer<peer_options_t>?, _ opened: UnsafeMutablePointer<peer_opened_t>?
) -> Bool {
    guard let options = options?.pointee, let opened else { return false }
    do {
        let made = try Stream(
            task: options.task, name: String(cString: options.name), way: String(cString: options.way),
            rate: Int(options.rate))
        peer_describe(opened, "swift-audio-session", "JACK")
        (opened.pointee.rate, opened.pointee.period) = (UInt32(made.rate), UInt32(made.period))
        stream.withLock { $0 = made }
        return true
    } catch {
        peer_refuse("\(error)")
        return false
    }
}

func playSound() {
    do {
        try stream.withLock { $0 }?.play()
    } catch {
        peer_notice("\(error)")
    }
}

func isStreamRunning() -> Bool { stream.withLock { $0 }?.isRunning == true }

func closeStream() {
    let closed = stream.withLock { stream in
        defer { stream = nil }
        return stream
    }
    closed?.close()
}
