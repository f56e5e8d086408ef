// Keys, beacons, brokers.

extension WrongConfiguration {
  static let secrets: [WrongConfiguration] = [
    WrongConfiguration(
      "keys that are none",
      #"""
      gateway.purpose = "x"
      [[key.irk]]
      alias = "a"
      key = "ec02"
      [[key.irk]]
      alias = "a"
      key = "not hexadecimal at all"
      [[key.irk]]
      alias = "b"
      [[key.eid]]
      alias = "a"
      key = "ec0234a357c8ad05341010a60a397d9b"
      exponent = 16
      clock = -1
      [[key.eid]]
      alias = "b"
      key = "ec0234a357c8ad05341010a60a397d9b"
      """#,
      [
        #"4:1: key.irk "a": key must hold 16 bytes: 32 hexadecimal digits"#,
        #"6:1: key.irk "a": alias is taken by another key"#,
        #"7:1: key.irk "a": key must hold 16 bytes: 32 hexadecimal digits"#,
        #"8:1: key.irk "b": key_file (or key) is missing"#,
        #"13:1: key.eid "a": exponent (16) must lie between 0 and 15"#,
        #"14:1: key.eid "a": clock (-1) must lie between 0 and 4294967295"#,
        #"15:1: key.eid "b": exponent is missing"#,
        #"15:1: key.eid "b": clock is missing"#,
        #"16:1: warning: key.eid "b": alias is a second name for the key of "a": its device is only known as a"#,
      ]),
    WrongConfiguration(
      "keys that are no secret",
      #"""
      gateway.purpose = "x"
      [[key.irk]]
      alias = "a"
      key = "00000000000000000000000000000000"
      [[key.irk]]
      alias = "b"
      key = "00000000000000000000000000000001"
      [[key.eid]]
      alias = "a"
      key = "ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff:ff"
      exponent = 10
      clock = 0
      """#,
      [
        #"4:1: key.irk "a": key is no secret: its bytes are all equal"#,
        #"10:1: key.eid "a": key is no secret: its bytes are all equal"#,
      ]),
    WrongConfiguration(
      "the watch's own UUID",
      #"""
      gateway.purpose = "x"
      [peer]
      service = "9AA4730F-B25C-4CC3-B821-C931559FC196"
      [[transmit]]
      uuid = "9AA4730F-B25C-4CC3-B821-C931559FC196"
      """#,
      [
        "3:1: peer: service has overflow position 69, which raises a pop-up on phones and must never be set; choose another UUID",
        "5:1: transmit 1: uuid is the Apple Watch's, which raises a pop-up on phones and must never be sent",
      ]),
    WrongConfiguration(
      "UUIDs that are none",
      #"""
      gateway.purpose = "x"
      [peer]
      service = "2f234454"
      id_prefix = "bbbb"
      [[transmit]]
      uuid = "2f234454-cf6d-4a0f-adf2"
      """#,
      [
        #"4:1: peer: id_prefix ("bbbb") must be the first 24 digits of a UUID: xxxxxxxx-xxxx-xxxx-xxxx-xxxx"#,
        #"6:1: transmit 1: uuid ("2f234454-cf6d-4a0f-adf2") is no UUID (8-4-4-4-12 hexadecimal digits)"#,
      ]),
    WrongConfiguration(
      "another UUID at overflow position 69",
      #"""
      gateway.purpose = "x"
      [peer]
      service = "00000000-0000-0000-0000-000000000050"
      """#,
      [
        "3:1: peer: service has overflow position 69, which raises a pop-up on phones and must never be set; choose another UUID"
      ]),
    WrongConfiguration(
      "beacons with another's content",
      #"""
      gateway.purpose = "x"
      [[transmit]]
      kind = "ibeacon"
      url = "https://a.com"
      [[transmit]]
      kind = "eddystone-url"
      url = "ftp://a.com"
      [[transmit]]
      kind = "eddystone-url"
      url = "https://www.example.com/abcdefghijklmnop"
      [[transmit]]
      kind = "eddystone-uid"
      namespace = "00"
      [[transmit]]
      kind = "beacon"
      [[transmit]]
      kind = "altbeacon"
      id = "2f234454cf6d4a0fadf2f4911ba9ffa600070001"
      tx_power_dbm = 21
      major = 1
      """#,
      [
        #"2:1: transmit "ibeacon": uuid is missing"#,
        #"4:1: transmit "ibeacon": url does not belong to this kind; it has uuid, major and minor"#,
        #"7:1: transmit "eddystone-url": url ("ftp://a.com") must begin with http:// or https:// and have only printable ASCII characters"#,
        #"10:1: transmit "eddystone-url": url ("https://www.example.com/abcdefghijklmnop") has 24 bytes when encoded; an advert has room for 17"#,
        #"11:1: transmit "eddystone-uid": instance is missing"#,
        #"13:1: transmit "eddystone-uid": namespace ("00") must be 20 hexadecimal digits"#,
        #"15:1: transmit "beacon": kind ("beacon") must be "ibeacon", "altbeacon", "eddystone-uid" or "eddystone-url""#,
        #"19:1: transmit "altbeacon": tx_power_dbm (21) must lie between -127 and 20; did you mean -21?"#,
        #"20:1: transmit "altbeacon": major does not belong to this kind; it has id and company"#,
      ]),
    WrongConfiguration(
      "a host with a scheme",
      #"""
      gateway.purpose = "x"
      [mqtt]
      host = "mqtt://broker"
      """#,
      [
        #"3:1: mqtt: host ("mqtt://broker") must be a name or an address, without a scheme"#
      ]),
    WrongConfiguration(
      "half of TLS",
      #"""
      gateway.purpose = "x"
      [mqtt]
      tls_insecure = true
      tls_cert = "no.crt"
      """#,
      [
        "4:1: mqtt: tls_cert (no.crt) does not exist",
        "4:1: mqtt: tls_cert and tls_key must be given together",
        "4:1: mqtt: without tls_ca there is no TLS at all; name the authority's certificate",
      ]),
    WrongConfiguration(
      "a password without a user, in a file that is not there",
      #"""
      gateway.purpose = "x"
      [mqtt]
      password_file = "no/such"
      """#,
      [
        "3:1: mqtt: password_file names a file that does not exist",
        "3:1: mqtt: password_file needs a username beside it",
      ]),
    WrongConfiguration(
      "a password in the configuration",
      #"""
      gateway.purpose = "x"
      [mqtt]
      username = "u"
      password = "secret"
      """#,
      [
        #"4:1: mqtt: unknown key "password"; did you mean "password_file"?"#
      ]),
    WrongConfiguration(
      "a credential without systemd",
      #"""
      gateway.purpose = "x"
      [security]
      signing_key_file = "credential:key"
      [mqtt]
      username = "u"
      password_file = "credential:../x"
      """#,
      [
        #"3:1: security: signing_key_file ("credential:key") needs systemd: $CREDENTIALS_DIRECTORY is not set here"#,
        #"6:1: mqtt: password_file ("credential:../x") must be a credential's name, without a folder"#,
      ]),
  ]
}
