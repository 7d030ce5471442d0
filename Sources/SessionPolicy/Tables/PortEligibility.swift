/// The ports that a configuration may use (table of groups ROUTE and MULTI; ROUTE-5, ROUTE-7,
/// MULTI-1).
extension Configuration {
    func mayUse(_ port: DevicePort) -> Bool {
        let traits = category.traits
        switch port.direction {
        case .input: return traits.hasInput && mayUseInput(port.type)
        case .output: return traits.hasOutput && mayUseOutput(port.type)
        }
    }

    private func mayUseInput(_ type: PortType) -> Bool {
        switch type {
        case .bluetoothHFP, .bluetoothLE: options.contains(.allowBluetoothHFP)
        default: true
        }
    }

    /// Returns whether the configuration may use an output of this type (keeps ROUTE-7). A
    /// Bluetooth HFP output always requires option allowBluetoothHFP, which categories without
    /// input cannot set (OPT-2).
    private func mayUseOutput(_ type: PortType) -> Bool {
        switch type {
        case .bluetoothA2DP: impliesWirelessOutput || options.contains(.allowBluetoothA2DP)
        case .airPlay: impliesWirelessOutput || options.contains(.allowAirPlay)
        case .bluetoothHFP: options.contains(.allowBluetoothHFP)
        case .bluetoothLE:
            impliesWirelessOutput || options.contains(.allowBluetoothA2DP) || options.contains(.allowBluetoothHFP)
        // ROUTE-5: the receiver is the earpiece of a phone, for conversations.
        case .builtInReceiver: category == .playAndRecord
        default: true
        }
    }
}

extension PortType {
    /// Whether the port is part of the machine and is never plugged in. Connected ports take
    /// precedence over it.
    var isBuiltIn: Bool {
        switch self {
        case .builtInSpeaker, .builtInReceiver, .builtInMic: true
        default: false
        }
    }
}
