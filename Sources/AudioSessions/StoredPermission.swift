internal import Foundation
package import SessionArbiter
internal import SessionPolicy

/// The user's answer for one program, in a store that this process writes. If a service arbitrates,
/// the service stores the answers instead.
package struct StoredPermission: Sendable {
    private let store: PermissionStore
    private let program: String

    package init(_ store: PermissionStore, program: String) {
        self.store = store
        self.program = program
    }

    /// The answer for this process, in the user's store.
    static let own: StoredPermission? = {
        guard let store = PermissionStore.standard,
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return nil }
        return StoredPermission(store, program: program)
    }()

    /// The user's answer; nil when the user has not been asked.
    var answer: RecordPermission? { store.answers[program] }

    func save(_ answer: RecordPermission) { store.save(answer, for: program) }
}
