import Foundation

// prove table SEEDS [SCENARIO…]    every scenario, ours beside the peers' rules, as a table
// prove walks                      the same rules on walks that were measured
// Run it by deploy/prove.sh.

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
case ("table", let seeds?): Table(seeds: seeds, only: Array(words.dropFirst(2))).print()
default:
  FileHandle.standardError.write(Data("usage: prove table SEEDS [SCENARIO…]\n".utf8))
  exit(64)
}
