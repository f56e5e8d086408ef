import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("a calibration that somebody orders over MQTT") struct RemoteCalibrationTests {
  private static let radios =
    "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\nreceive_offset_db = 2\n"

  private func calibration(of beacon: Int = 1, at now: Double) throws -> RemoteCalibration {
    var ticket = Ticket(.calibrate, number: 7)
    ticket.request = Text("r")
    let identity = try Machine.identity("ibeacon:\(Machine.uuid):7:\(beacon)")
    return RemoteCalibration(identity, at: Meters(1), during: .seconds(10), ticket, at: .zero + .seconds(now))
  }

  private func reply(_ calibration: RemoteCalibration, _ machine: borrowing Machine) throws -> [String: Any] {
    let message = calibration.reply(machine.gateway.settings)
    #expect(message.sequence == 7 && String(message.topic) == "forecourt/site/gateway/reply/calibrate")
    return try #require(try JSONSerialization.jsonObject(with: Data(String(message.payload).utf8)) as? [String: Any])
  }

  @Test("only what is heard meanwhile counts, once, of this device, by the radio that hears it best") func counted() throws {
    var machine = try Machine(Self.radios + "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n")
    machine.hear(1, at: 9, level: -40, beacon: 1)
    machine.hear(1, at: 10, level: -40, beacon: 1)
    var one = try calibration(at: 10)
    #expect(one.until == .zero + .seconds(20))
    one.observe(machine.gateway, radio: 0)
    for step in 1...9 {
      machine.hear(1, at: 10 + Double(step) / 10, level: -60, beacon: 1)
      machine.hear(2, at: 10 + Double(step) / 10, level: -30, beacon: 2)
      one.observe(machine.gateway, radio: 0)
      one.observe(machine.gateway, radio: 0)
    }
    let few = try reply(one, machine)
    #expect(few["ok"] as? Bool == false && few["error"] as? String == "the device was heard too rarely: ten adverts are needed")
    machine.hear(1, at: 11, level: -60, beacon: 1)
    one.observe(machine.gateway, radio: 0)
    let told = try reply(one, machine)
    #expect(told["ok"] as? Bool == true && told["error"] is NSNull && told["request"] as? String == "r", "\(told)")
    #expect(told["measured_power_dbm"] as? Double == -60 && told["spread_db"] as? Double == 0 && told["samples"] as? Int == 10)
    #expect((told["doubt_db"] as? Double ?? 0) > 1 && told["radio"] as? String == "left")
    let nobody = try reply(try calibration(of: 3, at: 10), machine)
    #expect(nobody["ok"] as? Bool == false)
  }

  @Test("the radio that hears it best counts, with its own offset, and those that hear it alike do not undo each other")
  func better() throws {
    var machine = try Machine(Self.radios + "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n")
    var one = try calibration(at: 9)
    for step in 0..<5 {
      machine.hear(1, at: 10 + Double(step) / 10, level: -70, radio: 0, beacon: 1)
      one.observe(machine.gateway, radio: 0)
    }
    for step in 0..<15 {
      machine.hear(1, at: 11 + Double(step) / 10, level: -50, radio: 1, beacon: 1)
      one.observe(machine.gateway, radio: 1)
      machine.hear(1, at: 11.05 + Double(step) / 10, level: -70, radio: 0, beacon: 1)
      one.observe(machine.gateway, radio: 0)
    }
    let told = try reply(one, machine)
    #expect(told["measured_power_dbm"] as? Double == -52 && told["samples"] as? Int == 15 && told["radio"] as? String == "right", "\(told)")
    // In turn a little better.
    var other = try calibration(at: 12.9)
    for step in 0..<60 {
      let radio = step % 2
      machine.hear(1, at: 13 + Double(step) / 5, level: step / 2 % 2 == radio ? -54 : -58, radio: radio, beacon: 1)
      other.observe(machine.gateway, radio: radio)
    }
    #expect(try reply(other, machine)["samples"] as? Int == 30)
  }
}
