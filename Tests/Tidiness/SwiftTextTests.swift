import Testing

@Suite("The tidy tests can read Swift")
struct SwiftTextTests {
  @Test("a function is as long as its braces, whatever is written in strings and comments") func functions() {
    let source = #"""
      protocol P { func without() }
      struct S {
        func one() { print("}\(f("{"))") }  // }
        var stored = 1
        private mutating func four(
          a: Int = { 1 }()
        ) {
          /* } /* { */ } */ let b = ##"a"#}"##
        }
        var computed: Int {
          """
          }
          """.count
        }
      }
      """#
    #expect(SwiftText(source).functions == [2...2, 4...8, 9...13])
  }

  @Test("words in strings and comments are not code") func masking() {
    let code = SwiftText("let a = \"unsafe \\(unsafe b)\" // unsafe\nunsafe c").code
    #expect(code.map { $0.matches(of: /\bunsafe\b/).count } == [1, 1])
  }
}
