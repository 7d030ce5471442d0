internal import Foundation
package import SessionArbiter
internal import SessionPolicy

/// One program's answer in a store that this process writes itself. Where a service arbitrates, that keeps the answers.
package struct KeptPermission: Sendable {
    private let store: PermissionStore
    private let program: String

    package init(_ store: PermissionStore, program: String) {
        self.store = store
        self.program = program
    }

    /// This process's, in the user's store.
    static let own: KeptPermission? = {
        guard let store = PermissionStore.standard,
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return nil }
        return KeptPermission(store, program: program)
    }()

    /// What the user answered; nil when nobody asked.
    var answer: RecordPermission? { store.answers[program] }

    func keep(_ answer: RecordPermission) { store.keep(answer, for: program) }
}
