import Foundation

// prove table SEEDS [SCENARIO…]    every scenario, ours beside the peers' rules, as a table
// prove ours SEEDS                 ours alone
// prove curve SEEDS                what a trigger alone gives up for what, on even and on odd seeds
// prove sites SEEDS even|odd [2|3|4|8…]   sites drawn at random, phones of unknown power
// prove returns SEEDS even|odd [2|3|4|8…] the same, and the phones come three times
// prove variations SEEDS even|odd [2|3|4|8…] [NAME…] sites at which something is otherwise: loud phones, liars, a deaf radio…
// prove unplaced sites|returns|variations … the same without at_m
// prove near METRES sites|returns|variations … the same where the pumps stand in one row, so near to each other
// prove best                       the best that anybody could do with such phones
// prove walks                      the same rules on walks that were measured
// Run it by Tests/Gates/prove.sh.

var words = Array(CommandLine.arguments.dropFirst())
let isPlaced = words.first != "unplaced"
if !isPlaced { words.removeFirst() }
let spacing = words.first == "near" ? words.dropFirst().first.flatMap { Double($0) } : nil
if spacing != nil { words.removeFirst(2) }
switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
case ("table", let seeds?): Table(seeds: seeds, only: Array(words.dropFirst(2))).print()
case ("ours", let seeds?) where words.count == 2: Table(seeds: seeds, isOurs: true).print()
case ("curve", let seeds?) where words.count == 2: Curve(seeds: seeds).print()
case ("sites", let seeds?), ("returns", let seeds?), ("variations", let seeds?):
  let counts = words.dropFirst(3).compactMap { Int($0) }
  let parity = words.dropFirst(2).first == "even" ? 0 : 1
  let sites = Sites(
    seeds: seeds, parity: parity, isPlaced: isPlaced, receivers: counts.isEmpty ? [2, 3, 4, 8] : counts,
    spacing: spacing, only: words.dropFirst(3).filter { Int($0) == nil })
  switch words[0] {
  case "returns": sites.printReturns()
  case "variations": sites.printVariations()
  default: sites.print()
  }
case ("best", _) where words.count == 1: BestPossible().print()
case ("walks", _) where words.count == 1: Walks().print()
default:
  let usage = [
    "table SEEDS [SCENARIO…]", "ours SEEDS", "curve SEEDS", "sites SEEDS even|odd [RECEIVERS…]", "returns SEEDS even|odd [RECEIVERS…]",
    "variations SEEDS even|odd [RECEIVERS…]", "unplaced sites|returns|variations …",
    "near METRES sites|returns|variations …", "best", "walks",
  ].map { "prove \($0)\n" }
  FileHandle.standardError.write(Data(("usage: " + usage.joined(separator: "       ")).utf8))
  exit(64)
}
