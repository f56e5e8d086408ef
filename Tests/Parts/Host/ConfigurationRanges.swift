// Types, ranges, choices, names.

extension WrongConfiguration {
  static let ranges: [WrongConfiguration] = [
    WrongConfiguration(
      "numbers outside their range",
      #"""
      gateway.purpose = "x"
      [mqtt]
      port = 70000
      keepalive_s = 1
      version = 3
      [average]
      time_constant_s = nan
      stale_s = inf
      window_samples = 2
      [gateway2]
      """#,
      [
        "3:1: mqtt: port (70000) must lie between 1 and 65535",
        "4:1: mqtt: keepalive_s (1) must lie between 5 and 65535",
        "5:1: mqtt: version (3) must be 5 or 4",
        "7:1: average: time_constant_s (nan) must lie between 0.1 and 60",
        "8:1: average: stale_s (inf) must lie between 1 and 3600",
        "9:1: average: window_samples (2) must lie between 3 and 16",
        #"10:2: unknown table "gateway2"; did you mean "gateway"?"#,
      ]),
    WrongConfiguration(
      "a gateway whose topics would be those that a site shares",
      #"""
      gateway.purpose = "x"
      gateway.name = "claim"
      """#,
      [
        #"2:9: gateway: name must not be "claim": what the gateways of a site share has topics under that word"#
      ]),
    WrongConfiguration(
      "the other such gateway",
      #"""
      [gateway]
      purpose = "x"
      name = "peer"
      """#,
      [
        #"3:1: gateway: name must not be "peer": what the gateways of a site share has topics under that word"#
      ]),
    WrongConfiguration(
      "values of other types",
      #"""
      gateway.purpose = "x"
      [mqtt]
      port = "1883"
      host = 7
      tls_insecure = "no"
      [average]
      window_samples = 4.5
      time_constant_s = true
      outlier_db = [1]
      stale_s = 2020-01-01
      [log]
      level = 3
      [privacy]
      unknown = true
      [[radio]]
      name = "r"
      scan = yes
      mode = ["raw"]
      """#,
      [
        "3:1: mqtt: port must be a whole number, not a string: write port = 1883",
        #"4:1: mqtt: host must be a string, not a whole number: write host = "7""#,
        "5:1: mqtt: tls_insecure must be true or false, not a string: write tls_insecure = false",
        "7:1: average: window_samples (4.5) must be a whole number",
        "8:1: average: time_constant_s must be a number, not true or false",
        "9:1: average: outlier_db must be a number, not a list",
        "10:1: average: stale_s must be a number, not a date or a time",
        #"12:1: log: level must be "error", "warning", "info" or "debug", not a whole number"#,
        #"14:1: privacy: unknown must be "ignore", "hash" or "publish", not true or false"#,
        #"17:1: radio "r": scan must be "active" or "passive", not true or false"#,
        #"18:1: radio "r": mode must be "user" or "raw", not a list"#,
      ]),
    WrongConfiguration(
      "a login that is none",
      #"""
      gateway.purpose = "x"
      mqtt.username = "a\u0000b"
      """#,
      ["2:6: mqtt: username must not be empty"]),
    WrongConfiguration(
      "words that are no choice",
      #"""
      gateway.purpose = "x"
      gateway.authorization = "allways"
      [log]
      level = "loud"
      format = "xml"
      [privacy]
      unknown = "maybe"
      """#,
      [
        #"2:9: gateway: authorization ("allways") must be "always", "when-in-use" or "denied""#,
        #"4:1: log: level ("loud") must be "error", "warning", "info" or "debug""#,
        #"5:1: log: format ("xml") must be "text" or "json""#,
        #"7:1: privacy: unknown ("maybe") must be "ignore", "hash" or "publish""#,
      ]),
    WrongConfiguration(
      "names that would break a topic",
      #"""
      gateway.purpose = "x"
      gateway.name = "a/b"
      gateway.site = ""
      [[region]]
      name = "a+b"
      match = "*"
      [[region]]
      name = "#"
      match = "*"
      [[region]]
      name = "a\u0007"
      match = "*"
      [[region]]
      name = "a\u0085"
      match = "*"
      [[region]]
      name = "a\uFFFF"
      match = "*"
      [[region]]
      name = "üüüüüüüüüüüüüüüüü"
      match = "*"
      [mqtt]
      prefix = "$SYS"
      """#,
      [
        #"2:9: gateway: name ("a/b") must not contain / + # or *, which mean something in topics and selectors"#,
        #"3:9: gateway: site ("") must not be empty"#,
        #"5:1: region "a+b": name ("a+b") must not contain / + # or *, which mean something in topics and selectors"#,
        ##"8:1: region "#": name ("#") must not contain / + # or *, which mean something in topics and selectors"##,
        #"11:1: region "a?": name ("a?") must not contain control characters"#,
        #"14:1: region "a?": name ("a?") must not contain control characters"#,
        "17:1: region \"a\u{ffff}\": name (\"a\u{ffff}\") must not contain what Unicode calls no character",
        #"20:1: region "üüüüüüüüüüüüüüüüü": name ("üüüüüüüüüüüüüüüüü") is longer than 32 bytes"#,
        "23:1: mqtt: prefix must not begin with $: such topics belong to the broker",
      ]),
    WrongConfiguration(
      "names twice",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "a"
      [[radio]]
      name = "a"
      adapter = "hci1"
      [[region]]
      name = "r"
      match = "*"
      [[region]]
      name = "r"
      match = "*"
      [[trigger]]
      name = "r"
      match = "*"
      [[trigger]]
      name = "r"
      match = "*"
      [[device]]
      name = "anna"
      match = "*"
      [[device]]
      name = "anna"
      """#,
      [
        #"5:1: radio "a": name is taken by radio 1"#,
        #"11:1: region "r": name is taken by region 1"#,
        #"17:1: trigger "r": name is taken by trigger 1"#,
        #"22:1: device "anna": match is missing"#,
        #"23:1: device "anna": name is taken by device 1"#,
      ]),
    WrongConfiguration(
      "a table without its name and match",
      #"""
      gateway.purpose = "x"
      [[trigger]]
      [[region]]
      name = "r"
      [[radio]]
      """#,
      [
        "2:1: trigger 1: name is missing",
        "2:1: trigger 1: match is missing",
        #"3:1: region "r": match is missing"#,
        "5:1: radio 1: name is missing",
      ]),
    WrongConfiguration(
      "a window longer than the interval that is meant where none stands",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r"
      window_ms = 5000
      """#,
      [#"4:1: radio "r": window_ms (5000) must not be longer than interval_ms (60, the default)"#]),
    WrongConfiguration(
      "a window longer than its interval",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r"
      interval_ms = 50
      window_ms = 60
      phys = ["2m"]
      """#,
      [
        #"5:1: radio "r": window_ms (60) must not be longer than interval_ms (50)"#,
        #"6:9: radio "r": phys has "2m"; it may have "1m" and "coded""#,
      ]),
    WrongConfiguration(
      "no phy at all",
      #"""
      gateway.purpose = "x"
      [[radio]]
      name = "r"
      phys = []
      """#,
      [
        #"4:1: radio "r": phys must name at least one of "1m" and "coded""#
      ]),
    WrongConfiguration(
      "zones the wrong way round",
      #"""
      gateway.purpose = "x"
      [zones]
      immediate_dbm = -80
      """#,
      [
        "3:1: zones: immediate_dbm (-80) must be greater than near_dbm (-70, the default)"
      ]),
    WrongConfiguration(
      "zones by distance the wrong way round",
      #"""
      gateway.purpose = "x"
      [zones]
      near_m = 0.3
      """#,
      [
        "3:1: zones: immediate_m (0.5, the default) must be less than near_m (0.3)"
      ]),
    WrongConfiguration(
      "zones by both",
      #"""
      gateway.purpose = "x"
      [zones]
      near_m = 3
      near_dbm = -60
      """#,
      [
        "3:1: zones: name levels (_dbm) or distances (_m), not both"
      ]),
    WrongConfiguration(
      "an exit that is neither",
      #"""
      gateway.purpose = "x"
      [[region]]
      name = "r"
      match = "*"
      exit_s = "soon"
      [[region]]
      name = "q"
      match = "*"
      exit_s = 0
      """#,
      [
        #"5:1: region "r": exit_s ("soon") must be "auto" or a number of seconds"#,
        #"9:1: region "q": exit_s (0) must lie between 0.5 and 86400"#,
      ]),
    WrongConfiguration(
      "paths that are none",
      #"""
      gateway.purpose = "x"
      [outbox]
      path = ""
      [publish]
      metrics_file = "a\u0000b"
      """#,
      [
        "3:1: outbox: path must name a file",
        "5:1: publish: metrics_file must name a file",
      ]),
    WrongConfiguration(
      "a long and dirty value, cut and cleaned",
      #"""
      gateway.purpose = "x"
      [log]
      level = "\u0007ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää\u001b[31m"
      """#,
      [
        #"3:1: log: level ("?ääääääääääääääääääääääääääääää…") must be "error", "warning", "info" or "debug""#
      ]),
  ]
}
