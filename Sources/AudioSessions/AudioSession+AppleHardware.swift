internal import Platform

extension AudioSession {
    package var appleHardwareRequests: AppleHardwareRequests {
        get { appleRequests.withLock { $0 } }
        set { appleRequests.withLock { $0 = newValue } }
    }
}
