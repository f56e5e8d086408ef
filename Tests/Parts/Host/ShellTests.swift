import CLinux
import Core
import Testing

@testable import Host

@Suite("What a person agrees to is run") struct ShellTests {
  @Test("as a line of the shell, and its success is told") func success() {
    #expect(Shell.run("true && [ 1 = 1 ]"))
    #expect(!Shell.run("exit 3"))
    #expect(!Shell.run("kill -9 $$"), "a command that is killed")
    #expect(!Shell.run("no-such-command-here 2>/dev/null"))
  }

  @Test("a signal that we block still ends it") func signals() {
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #expect(!Shell.run("kill -TERM $$; exit 0"))
  }

  @Test("with sudo for everybody but root") func written() {
    #expect(Shell.written("rfkill unblock bluetooth") == (geteuid() == 0 ? "" : "sudo ") + "rfkill unblock bluetooth")
  }
}

@Suite("A fault that one line mends names that line") struct RemedyTests {
  @Test("a broker that is not here is installed or started") func broker() throws {
    var settings = Settings()
    settings.gateway.name = Name("g" as StaticString)
    var host = HostSettings()
    (host.broker.host, host.broker.port) = (Text("127.0.0.1"), 9)
    let examined = Examined.broker(settings, host) {}
    #expect(examined[0].isBad && (examined[0].command?.contains("mosquitto") ?? false), "\(examined[0].words)")
  }
}
