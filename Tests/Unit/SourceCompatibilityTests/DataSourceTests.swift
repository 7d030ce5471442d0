import AVFAudio
import AudioSessions
import Foundation
import Testing

@Suite("Data sources within a port, as source written for iOS uses them")
struct DataSourceTests {
    @Test("ROUTE-1: ports have no data sources: nil, and preferred values throw an error with a remedy")
    func none() throws {
        let source = AVAudioSessionDataSourceDescription(dataSourceID: 7, dataSourceName: "Front")
        #expect(source.location == nil && source.orientation == nil && source.supportedPolarPatterns == nil)
        #expect(source.selectedPolarPattern == nil && source.preferredPolarPattern == nil)
        try source.setPreferredPolarPattern(nil)
        let refused = #expect(throws: AudioSessionError.self) { try source.setPreferredPolarPattern(.cardioid) }
        #expect(refused?.errorCode == .resourceNotAvailable)
        let channels = (1...3).map {
            AVAudioSessionChannelDescription(channelName: "\($0)", channelNumber: $0, owningPortUID: "p")
        }
        #expect(channels.map(\.channelLabel) == [1, 2, 65_539])
        let port = AVAudioSessionPortDescription(portType: .usbAudio, portName: "P", uid: "p", channels: channels)
        try port.setPreferredDataSource(nil)
        #expect(throws: AudioSessionError.self) { try port.setPreferredDataSource(source) }
        let session = AVAudioSession.sharedInstance()
        try session.setSupportsMultichannelContent(true)
        #expect(session.supportsMultichannelContent)
        try session.setSupportsMultichannelContent(false)
    }
}
