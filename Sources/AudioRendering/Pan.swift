internal import CRenderCore

/// A pan position and its law.
public struct Pan: Equatable, Sendable {
    /// How a pan position becomes two gains.
    public enum Law: Equatable, Sendable {
        /// Quarter sine and cosine: −3 dB each in the center.
        case equalPower
        /// Linear: −6 dB each in the center.
        case linear
    }

    /// The position, −1 left … 1 right.
    public var position: Float
    /// The pan law.
    public var law: Law

    public init(_ position: Float, law: Law = .equalPower) {
        self.position = position
        self.law = law
    }
}

extension Pan.Law? {
    /// The core's pan law; nil: the core does not pan.
    var coreLaw: rcore_pan_law_t {
        switch self {
        case .equalPower: RCORE_PAN_EQUAL_POWER
        case .linear: RCORE_PAN_LINEAR
        case nil: RCORE_PAN_NONE
        }
    }
}
