// Radios, selectors, and the devices that they look for.

extension WrongConfiguration {
  static let radios: [WrongConfiguration] = [
    WrongConfiguration(
      "a radio that nobody has",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "left"
      [[trigger]]
      name = "t"
      match = "*"
      radio = "rigth"
      """#,
      [
        #"7:1: trigger "t": radio ("rigth") is the name of no [[radio]]; there is "left""#
      ]),
    WrongConfiguration(
      "two radios on one adapter",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "a"
      [[radio]]
      name = "b"
      adapter = "hci0"
      """#,
      [
        #"6:1: radio "b": adapter ("hci0") is taken by radio 1"#
      ]),
    WrongConfiguration(
      "two radios on one line, whatever its speed, and at one port",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "a"
      adapter = "h4:/dev/ttyACM0"
      [[radio]]
      name = "b"
      adapter = "h4:/dev/ttyACM0@115200"
      [[radio]]
      name = "c"
      adapter = "tcp:[::1]:9000"
      [[radio]]
      name = "d"
      adapter = "tcp:::1:9000"
      """#,
      [
        #"7:1: radio "b": adapter ("h4:/dev/ttyACM0@115200") is taken by radio 1"#,
        #"13:1: warning: radio "d": adapter ("tcp:::1:9000") is taken by radio 3: most controllers serve one connection"#,
      ]),
    WrongConfiguration(
      "two radios on one socket; one recording may be played into two",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "a"
      adapter = "unix:/run/air"
      [[radio]]
      name = "b"
      adapter = "unix:/run/air"
      [[radio]]
      name = "c"
      adapter = "capture:walk.btsnoop"
      [[radio]]
      name = "d"
      adapter = "capture:walk.btsnoop"
      """#,
      [
        #"7:1: warning: radio "b": adapter ("unix:/run/air") is taken by radio 1: most controllers serve one connection"#
      ]),
    WrongConfiguration(
      "addresses that name no adapter, or the same one",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "a"
      adapter = "aa:bb:cc:dd:ee:0f"
      [[radio]]
      name = "b"
      adapter = "AA:BB:CC:DD:EE:0F"
      [[radio]]
      name = "c"
      adapter = "AA-BB-CC-DD-EE-FF"
      [[radio]]
      name = "d"
      adapter = "00:00:00:00:00:00"
      """#,
      [
        #"7:1: radio "b": adapter ("AA:BB:CC:DD:EE:0F") is taken by radio 1"#,
        #"10:1: radio "c": adapter ("AA-BB-CC-DD-EE-FF") must be written with colons: "AA:BB:CC:DD:EE:FF""#,
        #"13:1: radio "d": adapter ("00:00:00:00:00:00") is the address of no adapter"#,
      ]),
    WrongConfiguration(
      "more radios than a board has",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r0"
      adapter = "hci0"
      [[radio]]
      name = "r1"
      adapter = "hci1"
      [[radio]]
      name = "r2"
      adapter = "hci2"
      [[radio]]
      name = "r3"
      adapter = "hci3"
      [[radio]]
      name = "r4"
      adapter = "hci4"
      """#,
      [
        "14:1: radio: there are 5 of them; at most 4 are possible"
      ]),
    WrongConfiguration(
      "adapters that are nearly addresses",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r0"
      adapter = "AA:BB:CC:DD:EE"
      [[radio]]
      name = "r1"
      adapter = "AA-BB-CC-DD-EE-FF-00"
      """#,
      [
        #"4:1: radio "r0": adapter ("AA:BB:CC:DD:EE") must be "hciN", "AA:BB:CC:DD:EE:FF", "h4:DEVICE@BAUD", "tcp:HOST:PORT", "unix:PATH", "capture:FILE" or "simulate:SCENARIO""#,
        #"7:1: radio "r1": adapter ("AA-BB-CC-DD-EE-FF-00") must be "hciN", "AA:BB:CC:DD:EE:FF", "h4:DEVICE@BAUD", "tcp:HOST:PORT", "unix:PATH", "capture:FILE" or "simulate:SCENARIO""#,
      ]),
    WrongConfiguration(
      "adapters that cannot be",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r0"
      adapter = "hci"
      [[radio]]
      name = "r1"
      adapter = "h4:/dev/ttyACM0@12345"
      [[radio]]
      name = "r2"
      adapter = "tcp:localhost"
      [[radio]]
      name = "r3"
      adapter = "tcp:localhost:99999"
      """#,
      [
        #"4:1: radio "r0": adapter ("hci") must be "hciN", "AA:BB:CC:DD:EE:FF", "h4:DEVICE@BAUD", "tcp:HOST:PORT", "unix:PATH", "capture:FILE" or "simulate:SCENARIO""#,
        #"7:1: radio "r1": adapter ("h4:/dev/ttyACM0@12345") has a speed that serial lines do not have; usual are 115200, 921600 and 1000000"#,
        #"10:1: radio "r2": adapter ("tcp:localhost") needs a host and a port: "tcp:HOST:PORT""#,
        #"13:1: radio "r3": adapter ("tcp:localhost:99999") needs a port from 1 to 65535 behind the last colon"#,
      ]),
    WrongConfiguration(
      "selectors that select nothing",
      #"""
      gateway.purpose = "x"
      [[region]]
      name = "r"
      match = ["", "ibeacon", "ibeacon:x:*", "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7*",
        "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:65536:*", "altbeacon:00", "eddystone:00", "peer:BC00BD1", "service:180f", "service:18@*",
        "name:Bus*", "name:Bus*@00:11:22:33:44:55", "address:00:11:22:33:44", "address:00-11-22-33-44-55", "*:*", "irk:", 5]
      """#,
      [
        #"4:10: region "r": match: "" is empty; "*" matches every device"#,
        #"4:14: region "r": match: "ibeacon" must begin with irk: peer: eid: ibeacon: altbeacon: eddystone: service: name: or address:, or be "*""#,
        #"4:25: region "r": match: "ibeacon:x:*" has no UUID where one belongs (8-4-4-4-12 hexadecimal digits; of a service also 4 or 8)"#,
        #"4:40: region "r": match: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7*" is no selector: write "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:*""#,
        #"5:3: region "r": match: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:65536:*" has no number from 0 to 65535 where one belongs"#,
        #"5:59: region "r": match: "altbeacon:00" has too few hexadecimal digits, or something else among them"#,
        #"5:75: region "r": match: "eddystone:00" has too few hexadecimal digits, or something else among them"#,
        #"5:91: region "r": match: "peer:BC00BD1" has too few hexadecimal digits, or something else among them"#,
        #"5:107: region "r": match: "service:180f" is no selector: write "service:180f@*""#,
        #"5:123: region "r": match: "service:18@*" has no UUID where one belongs (8-4-4-4-12 hexadecimal digits; of a service also 4 or 8)"#,
        #"6:3: region "r": match: "name:Bus*" is no selector: write "name:Bus*@*""#,
        #"6:16: region "r": match: "name:Bus*@00:11:22:33:44:55" does not end where an identity ends; a * stands in place of whole parts"#,
        #"6:47: region "r": match: "address:00:11:22:33:44" is no selector: write "address:00:11:22:33:44:*""#,
        #"6:73: region "r": match: "address:00-11-22-33-44-55" is no selector: write "address:00:11:22:33:44:55""#,
        #"6:102: region "r": match: "*:*" must begin with irk: peer: eid: ibeacon: altbeacon: eddystone: service: name: or address:, or be "*""#,
        #"6:109: region "r": match: "irk:" is no selector: write "irk:*""#,
        #"6:117: region "r": match must be a list of strings; here is a whole number"#,
      ]),
    WrongConfiguration(
      "no selector",
      #"""
      gateway.purpose = "x"
      [[region]]
      name = "r"
      match = []
      """#,
      [
        #"4:1: region "r": match must name at least one selector; "*" matches every device"#
      ]),
    WrongConfiguration(
      "an alias that no key has",
      #"""
      gateway.purpose = "x"
      [[key.irk]]
      alias = "anna"
      key = "ec0234a357c8ad05341010a60a397d9b"
      [[region]]
      name = "r"
      match = ["irk:anna", "irk:ana", "eid:anna"]
      """#,
      [
        #"7:22: region "r": match: "irk:ana": no [[key.irk]] has this alias; did you mean "anna"?"#,
        #"7:33: region "r": match: "eid:anna": no [[key.eid]] has this alias"#,
      ]),
  ]
}
