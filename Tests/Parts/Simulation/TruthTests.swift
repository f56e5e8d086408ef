import Core
import Testing

@testable import Simulation

@Suite("The truth") struct TruthTests {
  private func scenario(_ steps: [JourneyStep]) -> Scenario {
    .standing(at: 20, seconds: 60) {
      $0.travellers[0].steps = steps
      $0.travellers[0].delaySpread = 0
      $0.travellers[0].haste = 0
      $0.travellers[0].stray = 0
    }
  }

  @Test("walking up, standing and leaving is one visit")
  func visit() throws {
    let world = World(
      scenario([
        .move(to: Point(1, 0), pace: .speed(1), by: .foot), .stay(seconds: 15, facing: .zero, in: .foot),
        .move(to: Point(20, 0), pace: .speed(2), by: .foot),
      ]), seed: 1)
    #expect(world.visits.count == 1)
    let visit = try #require(world.visits.first)
    #expect(abs(visit.entered - 18.5) < 0.2)
    #expect(abs(visit.stood - 19) < 0.2)
    #expect(abs(visit.moved - 34) < 0.2)
    #expect(abs(visit.left - 34.25) < 0.2)
  }

  @Test("a motorcycle that never stops is no visit")
  func noStop() {
    let world = World(scenario([.move(to: Point(-20, 0), pace: .speed(3), by: .open)]), seed: 1)
    #expect(world.visits.isEmpty)
  }

  @Test("stepping out of a car at the pump is one visit, and the car stays there")
  func steppingOut() {
    let stay = Scenario.standing(at: 20, seconds: 60) {
      $0.travellers[0].begins = .car
      $0.travellers[0].stray = 0
      $0.travellers[0].steps = [
        .move(to: Point(1.2, 0), pace: .within(seconds: 5), by: .car), .stay(seconds: 3, facing: nil, in: .car),
        .move(to: Point(0.8, 0.3), pace: .speed(1), by: .foot), .stay(seconds: 10, facing: .zero, in: .foot),
      ]
    }
    var world = World(stay, seed: 1)
    #expect(world.visits.count == 1)
    #expect(world.posture(of: 0, at: 15).car?.distance(to: Point(1.2, 0)) ?? 9 < 0.01)
  }

  @Test("each line of truth is one JSON object that says where and how far")
  func lines() {
    var world = World(scenario([.move(to: Point(1, 0), pace: .speed(1), by: .foot)]), seed: 1)
    var line = TruthLine()
    world.compose(phone: 0, at: 30, into: &line)
    #expect(
      line.string
        == #"{"t_s":30,"phone":"tag","who":"somebody","x_m":1,"y_m":0,"moving":false,"inside":"pump","distance_m":{"pump":1}}"#)
    world.compose(world.visits[0], into: &line)
    #expect(line.string == #"{"visit":"pump","who":"somebody","entered_s":18.5,"stood_s":19,"moved_s":60.1,"left_s":60.1}"#)
  }
}

extension Text {
  var string: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
}
