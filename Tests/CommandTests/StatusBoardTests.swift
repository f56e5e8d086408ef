import Core
import Host
import Testing

@testable import forecourt

@Suite("the status board")
struct StatusBoardTests {
  private func board() -> StatusBoard { StatusBoard(Settings(), Text("0123456789abcdef"), [], []) }

  /// The courier may lose the line between any two questions: what the machine is told is what the board believes, or nothing.
  @Test("of a line that comes and goes the machine is told each change once, and never what the board does not believe") func line() {
    var board = board()
    var machine = false
    var changes = 0
    for answer in [false, true, true, false, false, true, false, true] {
      let before = machine
      if board.connected(answer) {
        machine = board.isOnline
        changes += 1
        #expect(machine != before, "told twice")
      }
      #expect(machine == board.isOnline && board.isOnline == answer)
    }
    #expect(changes == 5)
  }

  @Test("a line that has come back is told the status again, one that is gone is not") func status() {
    var board = board()
    #expect(board.news(nil, .always) != nil && board.news(nil, .always) == nil, "the first word, once")
    #expect(!board.connected(false) && board.news(nil, .always) == nil)
    #expect(board.connected(true) && board.news(nil, .always) != nil && board.news(nil, .always) == nil)
    #expect(!board.connected(true) && board.news(nil, .always) == nil, "it has not been away")
    #expect(board.connected(false) && board.news(nil, .always) == nil)
    #expect(board.connected(true) && board.news(nil, .always) != nil)
  }
}
