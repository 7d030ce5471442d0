import Foundation
import PeerProtocol

// The package, used through its public API only, for the comparison with other libraries.
var peer = peer_t(open: openStream, play: playSound, is_running: isStreamRunning, close: closeStream)
exit(peer_run(CommandLine.argc, CommandLine.unsafeArgv, &peer))
