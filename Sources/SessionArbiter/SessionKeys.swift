internal import CSessionGate
internal import CSessionSocket
internal import Platform

/// The page of memory in which the render cores of all clients of an arbiter state which sessions
/// are audible, of those that lower others only while they are. Such a session is a key, in the
/// sense of the key input of a compressor.
///
/// A caller that lets a render core use the page keeps this object alive; the memory is released
/// with it. Unchecked `Sendable`: the handle is immutable, and the page is atomic.
public final class SessionKeys: @unchecked Sendable {
    /// The `sgate_keys_t *`, for the render core.
    public let page: OpaquePointer
    private let release: @Sendable (OpaquePointer) -> Void

    /// How many sessions can be keys at the same time. Further ones lower others by the arbiter's
    /// grants only, a little later.
    static let count = Int(SGATE_KEYS)

    private init(page: OpaquePointer, release: @escaping @Sendable (OpaquePointer) -> Void) {
        self.page = page
        self.release = release
    }

    /// Creates a page for this process. Returns nil if memory cannot be allocated.
    convenience init?() {
        guard let page = sgate_keys_create() else { return nil }
        self.init(page: page) { sgate_keys_destroy($0) }
    }

    /// Creates a page in shared memory. The caller sends the descriptor to clients, and closes it.
    package static func makeShared() throws(ArbiterError) -> (keys: SessionKeys, descriptor: Int32) {
        var page: OpaquePointer?
        let descriptor = ssocket_keys_create(&page)
        guard descriptor >= 0, let page else {
            throw .unavailable("cannot create the keys page: \(systemErrorText(-descriptor))")
        }
        return (SessionKeys(page: page) { ssocket_keys_unmap($0) }, descriptor)
    }

    /// Maps a page from the descriptor that an arbiter sent. The caller closes the descriptor.
    convenience init(mapping descriptor: Int32) throws(ArbiterError) {
        var page: OpaquePointer?
        let status = ssocket_keys_map(descriptor, &page)
        guard status == 0, let page else {
            throw .unavailable("the keys page that the arbiter sent cannot be used: \(systemErrorText(-status))")
        }
        self.init(page: page) { ssocket_keys_unmap($0) }
    }

    deinit { release(page) }

    /// States that a key is no longer audible: for a client that cannot do so itself. [any thread]
    func clear(_ key: Int) { sgate_keys_set(page, UInt32(clamping: key), false) }
}
