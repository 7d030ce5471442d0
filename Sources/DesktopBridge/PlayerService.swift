internal import AudioSessionTypes
internal import CDesktopBus
internal import Dispatch
internal import Glibc
internal import Platform

/// Serves one player at a time on a connection: its name, its values, its signals and its commands.
/// Used only on the thread that serves the bus.
final class PlayerService {
    private let perform: @Sendable (RemoteCommand) throws(RemoteCommandFailure) -> Void
    /// The connection, which the owner opens with `callbacks` and closes.
    var bus: OpaquePointer?
    private var published: PublishedPlayer?
    /// The name that is owned or requested.
    private var name: BusName?
    /// The name that is owned. Any thread may read it.
    let ownedName = Mutex<String?>(nil)
    /// Why the connection cannot be used any longer: the bus accepts none of the names.
    private(set) var failure: String?

    init(perform: @escaping @Sendable (RemoteCommand) throws(RemoteCommandFailure) -> Void) {
        self.perform = perform
    }

    /// The nanoseconds of the monotonic clock.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    // ---- Publishing -----------------------------------------------------------------------------

    /// Puts a player on the bus; nil removes it. `time` is when the caller published it. Sends only
    /// what has changed. Throws if the connection has ended.
    func publish(_ player: MediaPlayer?, at time: UInt64) throws(SystemFailure) {
        guard let bus else { return }
        guard let player else {
            try releaseName()
            published = nil
            return try check(desktop_bus_set_player(bus, nil))
        }
        let newName = BusName(of: player.name)
        let keepsName = newName.base == name?.base
        if !keepsName { try releaseName() }
        let previous = keepsName ? published : nil
        let next = PublishedPlayer(player)
        published = next
        try check(next.properties.withC { desktop_bus_set_player(bus, $0) })
        if let previous { try sendChanges(from: previous, to: next, at: time) }
        if !keepsName { try requestName(newName) }
    }

    private func sendChanges(
        from previous: PublishedPlayer, to next: PublishedPlayer, at time: UInt64
    ) throws(SystemFailure) {
        let changes = next.properties.changes(from: previous.properties)
        try sendChanges(changes.root, ofPlayer: false)
        try sendChanges(changes.player, ofPlayer: true)
        guard let bus, next.hasJumped(from: previous, at: time) else { return }
        try check(desktop_bus_send_seeked(bus, next.position(at: Self.now)))
    }

    private func sendChanges(_ properties: [String], ofPlayer: Bool) throws(SystemFailure) {
        guard let bus, !properties.isEmpty else { return }
        var names = properties.map { strdup($0) } + [nil]
        defer { names.forEach { free($0) } }
        try check(desktop_bus_send_changes(bus, ofPlayer, &names))
    }

    private func check(_ result: Int32) throws(SystemFailure) {
        guard result >= 0 else { throw SystemFailure(systemErrorText(-result)) }
    }

    // ---- The name -------------------------------------------------------------------------------

    private func requestName(_ newName: BusName) throws(SystemFailure) {
        guard let bus else { return }
        name = newName
        try check(desktop_bus_request_name(bus, newName.text(process: getpid())))
    }

    private func releaseName() throws(SystemFailure) {
        guard let bus, let name else { return }
        self.name = nil
        ownedName.withLock { $0 = nil }
        try check(desktop_bus_release_name(bus, name.text(process: getpid())))
    }

    /// Stores the name, or requests the next one if another connection owns it.
    fileprivate func receiveNameReply(isOwned: Bool, error: String?) {
        guard var name, let bus else { return }
        let text = name.text(process: getpid())
        if isOwned { return ownedName.withLock { $0 = text } }
        do throws(SystemFailure) {
            if let error { throw SystemFailure(error) }
            guard name.proceed() else { throw SystemFailure("other programs own it and all alternatives") }
            try requestName(name)
        } catch {
            failure = "The session bus refuses the name '\(text)': \(error.reason.printable)."
            // Ends the wait.
            desktop_bus_wake(bus)
        }
    }

    // ---- Requests -------------------------------------------------------------------------------

    fileprivate var position: Int64 { published?.position(at: Self.now) ?? 0 }

    /// Performs a request. Returns the result and, if it failed, a text for the sender.
    fileprivate func receive(_ request: BusRequest) -> (result: desktop_bus_result_t, text: String) {
        guard let published else { return (DESKTOP_BUS_FAILED, "Nothing plays.") }
        do throws(BusRequest.Refusal) {
            let command = try request.command(for: published.properties, commands: published.player.commands)
            guard let command else { return (DESKTOP_BUS_DONE, "") }
            do throws(RemoteCommandFailure) {
                try perform(command)
                return (DESKTOP_BUS_DONE, "")
            } catch {
                switch error {
                case .unsupported(let text): return (DESKTOP_BUS_NOT_SUPPORTED, text)
                case .failed(let text): return (DESKTOP_BUS_FAILED, text)
                }
            }
        } catch {
            switch error {
            case .unsupported(let text): return (DESKTOP_BUS_NOT_SUPPORTED, text)
            case .invalid(let text): return (DESKTOP_BUS_INVALID, text)
            }
        }
    }

    /// What the connection calls. Valid as long as this service exists.
    var callbacks: desktop_bus_callbacks_t {
        desktop_bus_callbacks_t(
            context: Unmanaged.passUnretained(self).toOpaque(),
            perform: { context, request, message in
                guard let service = PlayerService.from(context), let request, let message,
                    let received = BusRequest(request.pointee)
                else { return DESKTOP_BUS_FAILED }
                let (result, text) = service.receive(received)
                copy(text, to: message)
                return result
            },
            position: { context in PlayerService.from(context)?.position ?? 0 },
            named: { context, isOwned, error in
                PlayerService.from(context)?.receiveNameReply(
                    isOwned: isOwned, error: error.map { String(cString: $0) })
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> PlayerService? {
        context.map { Unmanaged<PlayerService>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Copies the text of an error, shortened to what the buffer holds.
private func copy(_ text: String, to buffer: UnsafeMutablePointer<CChar>) {
    var length = 0
    for character in text.busText {
        let bytes = String(character).utf8
        guard length + bytes.count < Int(DESKTOP_BUS_MESSAGE_SIZE) else { break }
        for byte in bytes {
            buffer[length] = CChar(bitPattern: byte)
            length += 1
        }
    }
    buffer[length] = 0
}
