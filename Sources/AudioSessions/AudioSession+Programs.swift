package import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// What sound from and to other programs needs of a session (PLAY-6).
extension AudioSession {
    /// Whether the session is active and mixable: then it may host nodes.
    package var mayHostNodes: Bool { status?.session.isActive == true && status?.session.isMixable == true }

    /// The uids of the outputs in the session's route.
    package var outputPorts: [String] { status?.route.outputs.map(\.uid) ?? [] }

    /// Adds a bus that plays to other programs through `ports`, for as long as someone holds it.
    package func makeBus(for ports: AudioPorts) throws -> SessionBus {
        let (connection, engine) = (try registered.connection.get(), try engine)
        do throws(AudioEngineError) {
            return try connection.makeBus(for: ports, in: engine)
        } catch {
            throw AudioSessionError(error)
        }
    }

    /// Adds a bus to another engine, without outputs. The session's grants apply to it.
    package func makeBus(inOther engine: AudioEngine) throws -> SessionBus {
        let connection = try registered.connection.get()
        do throws(AudioEngineError) {
            return try connection.makeBus(inOther: engine)
        } catch {
            throw AudioSessionError(error)
        }
    }
}

extension AudioSessionHost {
    /// Starts the engine for something other than a session, connecting to the server if necessary,
    /// and keeps it running until as many calls of `endEngineUse`. Throws `AudioSessionError`; then
    /// it is not in use. Blocks as `setActive` does.
    package func beginEngineUse() throws {
        let engine = try engine.get()
        engineUses.withLock { $0 += 1 }
        do throws(DriverError) {
            let wasOpen = engine.format != nil
            try engine.open()
            if !wasOpen { applyAllRoutes() }
            try startEngine()
        } catch {
            endEngineUse()
            throw AudioSessionError(error)
        }
    }

    /// Ends a use of the engine.
    package func endEngineUse() {
        engineUses.withLock { $0 -= 1 }
        idleSuspension?.update()
    }
}
