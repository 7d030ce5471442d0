import SessionPolicy

/// What a call of an app returned, in a form that both APIs have in common.
struct ScenarioResult: Equatable, CustomStringConvertible {
    /// The code of the refusal; nil if the call succeeded.
    var code: String?
    var rule = ""
    var by: UInt64 = 0
    var message = ""

    static let done = ScenarioResult()

    var description: String { code.map { "\($0) by \(rule), because of session \(by): \(message)" } ?? "done" }
}

/// What an app can read of its session, in a form that both APIs have in common.
struct ScenarioView: Equatable {
    enum Activity { case inactive, active, interrupted }
    var activity: Activity
    var isOtherAudioPlaying: Bool
    var secondaryAudioShouldBeSilenced: Bool
    var isInputAvailable: Bool
    var volume: Float
    var isMuted: Bool
    /// In 1/256 dB.
    var attenuation: Int
    var outputs: [String]
    var inputs: [String]
    var availableInputs: [String]
    var permission: String
}

/// An app that plays a scenario: a Swift app or a C app.
protocol ScenarioClient: AnyObject {
    var session: SessionID { get }
    /// Makes the call of a step; nil if the step is not one of the app.
    func perform(_ step: ScenarioStep) throws -> ScenarioResult?
    /// Returns when everything that the arbiter has reported so far has had its effect, also in
    /// what the app itself reports.
    func settle() throws
    /// The events since the last call.
    func takeEvents() async -> [String]
    var view: ScenarioView { get }
    /// The period of the audio server; nil while it does not call the app.
    var period: Int? { get }
    /// Renders the next frames in cycles of this period.
    func render(_ frames: Int, period: Int) throws -> [Float]
}
