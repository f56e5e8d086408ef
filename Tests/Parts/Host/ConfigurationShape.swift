// Texts that are no configuration, and keys and tables that do not exist.

extension WrongConfiguration {
  static let shape: [WrongConfiguration] = [
    WrongConfiguration(
      "a leave inside a fire",
      #"""
      gateway.purpose = "x"
      [[trigger]]
      name = "pump-3"
      match = "*"
      fire_m = 1.5
          leave_m = 1.0
      """#,
      [
        #"6:5: trigger "pump-3": leave_m (1.0) must be greater than fire_m (1.5)"#
      ]),
    WrongConfiguration(
      "a fire beyond the default leave",
      #"""
      gateway.purpose = "x"
      [[trigger]]
      name = "t"
      match = "*"
      fire_m = 4
      """#,
      [
        #"5:1: trigger "t": leave_m (4, the default) must be greater than fire_m (4)"#
      ]),
    WrongConfiguration(
      "an arm inside the default fire",
      #"""
      gateway.purpose = "x"
      [[trigger]]
      name = "t"
      match = "*"
      arm_m = 1
      """#,
      [
        #"5:1: trigger "t": arm_m (1) must not be less than fire_m (1.5, the default)"#
      ]),
    WrongConfiguration(
      "a key that is nearly right",
      #"""
      gateway.purpose = "x"
      [[trigger]]
      name = "t"
      match = "*"
      fire_mm = 2
      """#,
      [
        #"5:1: trigger "t": unknown key "fire_mm"; did you mean "fire_m"?"#
      ]),
    WrongConfiguration(
      "a key that is nothing like one",
      #"""
      gateway.purpose = "x"
      [log]
      whatever_this_is = 2
      """#,
      [
        #"3:1: log: unknown key "whatever_this_is"; known here: level and format"#
      ]),
    WrongConfiguration(
      "a table that is nearly right",
      #"""
      gateway.purpose = "x"
      [mqqt]
      port = 1
      """#,
      [
        #"2:2: unknown table "mqqt"; did you mean "mqtt"?"#
      ]),
    WrongConfiguration(
      "a table inside a table",
      #"""
      gateway.purpose = "x"
      [[key.irkk]]
      alias = "a"
      """#,
      [
        #"2:7: key: unknown table "irkk"; did you mean "irk"?"#
      ]),
    WrongConfiguration(
      "no purpose",
      #"""
      [gateway]
      name = "g"
      """#,
      [
        "1:2: gateway: purpose is missing: it is what people were told about being detected"
      ]),
    WrongConfiguration(
      "nothing at all",
      #"""

      """#,
      [
        "1:1: gateway: purpose is missing: it is what people were told about being detected"
      ]),
    WrongConfiguration(
      "a purpose of blanks",
      #"""
      gateway.purpose = "  "
      """#,
      [
        "1:9: gateway: purpose must not be empty: write what people were told about being detected"
      ]),
    WrongConfiguration(
      "a purpose too long",
      #"""
      gateway.purpose = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      """#,
      [
        "1:9: gateway: purpose is longer than 256 bytes"
      ]),
    WrongConfiguration(
      "a purpose that is a number",
      #"""
      gateway.purpose = 7
      """#,
      [
        "1:9: gateway: purpose must be a string, not a whole number: write purpose = \"7\""
      ]),
    WrongConfiguration(
      "one table where there can be several",
      #"""
      gateway.purpose = "x"
      [trigger]
      name = "t"
      """#,
      [
        "2:2: trigger is a list of tables: write [[trigger]] above each"
      ]),
    WrongConfiguration(
      "several tables where there is one",
      #"""
      gateway.purpose = "x"
      [[mqtt]]
      port = 1
      """#,
      [
        "2:3: mqtt is one table: write [mqtt]"
      ]),
    WrongConfiguration(
      "a list of things that are no tables",
      #"""
      gateway.purpose = "x"
      trigger = [1, "a"]
      """#,
      [
        "2:12: trigger: must be a table, not a whole number",
        "2:15: trigger: must be a table, not a string",
      ]),
    WrongConfiguration(
      "a list of gateways without any",
      #"""
      gateway.purpose = "x"
      [site]
      gateways = []
      """#,
      [
        #"3:1: site: gateways does not name this gateway, "gateway": all gateways of the site have the same list"#
      ]),
    WrongConfiguration(
      "the first syntax error, and nothing after it",
      #"""
      gateway.purpose = "x"
      [mqtt]
      port =
      foo = 1
      """#,
      [
        "3:1: port has no value: write one behind =, or delete the line"
      ]),
    WrongConfiguration(
      "a key twice",
      #"""
      gateway.purpose = "x"
      [mqtt]
      port = 1
      port = 2
      """#,
      [
        "4:1: port stands in line 3 already: delete one of the two"
      ]),
    WrongConfiguration(
      "a string that has no end",
      #"""
      gateway.purpose = "x"
      [mqtt]
      host = "a
      """#,
      [
        #"3:8: the quotation mark that begins here has no counterpart: write host = "a""#
      ]),
    WrongConfiguration(
      "too deep a key",
      #"""
      a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1
      """#,
      [
        "1:1: syntax error: more than 64 dots in one line"
      ]),
  ]
}
