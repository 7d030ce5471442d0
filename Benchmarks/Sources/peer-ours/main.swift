import Foundation
import PeerProtocol

// The package beside other libraries, by its public API alone.
var peer = peer_t(open: openStream, play: playSound, is_running: isStreamRunning, close: closeStream)
exit(peer_run(CommandLine.argc, CommandLine.unsafeArgv, &peer))
