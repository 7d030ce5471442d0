internal import CRenderCore
internal import Glibc
internal import Platform

/// The page cache of an engine: gives it to the core, and reads the pages of streamed sounds that
/// notes need.
final class PageLoader: Sendable {
    private let core: RenderCore
    private let bytes: Int
    /// The buffers of streamed sounds, which instruments share.
    private let buffers = Mutex(Buffers())
    /// Held while pages are read.
    private let reading = Mutex(Reading())

    private struct Buffers {
        var hasCache = false
        var ofSounds: [ObjectIdentifier: WeakBuffer] = [:]
        /// The number of entries at which those without a buffer are removed next.
        var limit = 64
    }
    private struct WeakBuffer {
        weak var buffer: PagedBuffer?
    }
    private struct Reading {
        /// Sounds whose readers may be open, the one used last at the end.
        var open: [OpenSound] = []
        var samples = StreamedSound.Samples()
    }
    private struct OpenSound {
        weak var sound: StreamedSound?
    }
    /// The most readers that stay open: a quarter of the files that the process may open.
    private static let maximumOpenReaders: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
        return Int(min(max(limit.rlim_cur / 4, 16), 1_024))
    }()
    /// How far ahead of notes pages are read, and how long they stay for the next notes, in
    /// seconds.
    private static let (ahead, idle) = (0.5, 4.0)

    init(core: RenderCore, bytes: Int) { (self.core, self.bytes) = (core, bytes) }

    // MARK: Buffers

    /// Returns the buffer of a streamed sound, and gives the core its page cache first if it has
    /// none. Throws `invalidArgument` or `outOfMemory`.
    func buffer(of sound: StreamedSound) throws(AudioEngineError) -> PagedBuffer {
        try buffers.withLock { buffers throws(AudioEngineError) in
            if let known = buffers.ofSounds[ObjectIdentifier(sound)]?.buffer { return known }
            if !buffers.hasCache {
                try openCache()
                buffers.hasCache = true
            }
            let buffer = try PagedBuffer(sound, core: core)
            if buffers.ofSounds.count >= buffers.limit {
                buffers.ofSounds = buffers.ofSounds.filter { $0.value.buffer != nil }
                buffers.limit = max(64, 2 * buffers.ofSounds.count)
            }
            buffers.ofSounds[ObjectIdentifier(sound)] = WeakBuffer(buffer: buffer)
            return buffer
        }
    }

    private func openCache() throws(AudioEngineError) {
        guard (1 << 20...1 << 36).contains(bytes) else {
            throw .invalidArgument(
                what: "an instrument with streamed sounds and a page cache of \(bytes) bytes; valid: 2^20 to 2^36")
        }
        let rate = Double(rcore_configuration(core.handle).sample_rate)
        var config = rcore_page_cache_config_default()
        config.pages = UInt32(bytes / (4 * Int(RCORE_PAGE_SAMPLES)))
        config.ahead_frames = UInt32(Self.ahead * rate)
        config.idle_frames = UInt32(Self.idle * rate)
        let status = rcore_open_page_cache(core.handle, &config)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a page cache of \(bytes) bytes") }
    }

    // MARK: Pages

    /// Reads requested pages, at most `most`. Returns whether there may be more. Blocks on the
    /// disk, and while another thread reads. Not for the render thread, unless it freewheels.
    func load(most: Int) -> Bool {
        reading.withLock { reading in
            for _ in 0..<most {
                var request = rcore_page_request_t()
                guard rcore_next_page_request(core.handle, &request) else { return false }
                guard let context = request.context else {
                    rcore_complete_page_request(core.handle, &request, nil)
                    continue
                }
                // A requested page counts as a user of its buffer, whose owner keeps the sound.
                let sound = Unmanaged<StreamedSound>.fromOpaque(context).takeUnretainedValue()
                let (first, count) = (Int64(request.first_frame), Int(request.nframes))
                sound.withFrames(from: first, count: count, &reading.samples) { frames in
                    rcore_complete_page_request(core.handle, &request, frames?.baseAddress)
                }
                use(sound, &reading.open)
            }
            return true
        }
    }

    /// Notes that a sound's reader is open, and closes that of another one if there are too many.
    private func use(_ sound: StreamedSound, _ open: inout [OpenSound]) {
        guard open.last?.sound !== sound else { return }
        open.removeAll { $0.sound == nil || $0.sound === sound }
        open.append(OpenSound(sound: sound))
        if open.count > Self.maximumOpenReaders { open.removeFirst().sound?.closeReader() }
    }
}

/// The C buffer of a streamed sound in one engine.
///
/// Unchecked `Sendable`: immutable; `deinit` releases the buffer.
final class PagedBuffer: @unchecked Sendable {
    let handle: OpaquePointer
    private let sound: StreamedSound

    init(_ sound: StreamedSound, core: RenderCore) throws(AudioEngineError) {
        var status = RCORE_OK
        let handle = rcore_buffer_create_streamed(
            core.handle, sound.preloaded.handle, UInt64(sound.frameCount),
            Unmanaged.passUnretained(sound).toOpaque(), &status)
        guard let handle else { throw AudioEngineError(status, "streaming '\(sound.name)'") }
        (self.handle, self.sound) = (handle, sound)
    }

    deinit { rcore_buffer_release(handle) }
}
