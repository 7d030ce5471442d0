import AudioSessions
import Foundation
import TestSupport

/// Records a notification of one session for as long as the recorder lives.
final class NotificationRecorder: @unchecked Sendable {
    // Immutable after init except for the token, which only init and deinit access.
    let heard = EventLog<[String: NSNumber]>()
    private var token: (any NSObjectProtocol)?

    init(_ name: NSNotification.Name, of session: AudioSession) {
        token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [heard] note in
            var numbers: [String: NSNumber] = [:]
            for (key, value) in note.userInfo ?? [:] {
                if let key = key as? String, let value = value as? NSNumber { numbers[key] = value }
            }
            heard.note(numbers)
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
