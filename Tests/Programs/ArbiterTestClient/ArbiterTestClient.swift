import ArbiterTesting
import Foundation
import SessionArbiter

/// `arbiter-test-client SOCKET`: a client in a separate process. It reads messages without serial
/// numbers from its standard input, one per line, and sends them to the service. It prints each
/// packet that it receives, and answers pings. The line `connect` makes a new connection. The
/// program ends with its input.
///
/// `arbiter-test-client --start SOCKET`: connects to the service as an app does, starting it if
/// necessary, and prints the service's process id.
@main struct ArbiterTestClient {
    private static func start(_ path: String) throws {
        let arbiter = try RemoteArbiter(at: ArbiterAddress(path: path))
        let tool = try RawClient(path)
        try tool.hello()
        tool.answersPings = true
        say(Data("\(try tool.report().process)".utf8))
        var byte: UInt8 = 0
        _ = read(0, &byte, 1)
        withExtendedLifetime((arbiter, tool)) {}
    }

    /// Prints a line immediately.
    private static func say(_ line: Data) {
        let bytes = line + Data("\n".utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { exit(1) }
            sent += count
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else { return try start(arguments[2]) }
        let path = arguments[1]
        var client = try RawClient(path)
        var text = Data()
        while true {
            var watched = [
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
                pollfd(fd: client.hasEnded ? -1 : client.socket, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&watched, 2, -1) > 0 else { continue }
            if watched[1].revents != 0 {
                if let message = try client.receiveNow() {
                    say(try JSONEncoder().encode(message))
                } else if client.hasEnded {
                    say(Data("end".utf8))
                }
            }
            guard watched[0].revents != 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(0, &bytes, bytes.count)
            guard count > 0 else { return }
            text.append(contentsOf: bytes[..<count])
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: text[text.startIndex..<end], as: UTF8.self)
                text.removeSubrange(text.startIndex...end)
                if line == "connect" {
                    client = try RawClient(path)
                } else {
                    client.serial += 1
                    client.send(Array("{\"serial\":\(client.serial),\(line.dropFirst())".utf8))
                }
            }
        }
    }
}
