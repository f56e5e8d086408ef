import Host

// The courier alone, driven by lines on stdin, so that brokers, kills and clocks can be tried on it without a radio.
// Its arguments are settings, KEY=VALUE. On stdout: "stored N" once N events are on the disk, requests as they arrive, figures.
//   events FROM TO [SECONDS]   durable events numbered so, expiring after SECONDS
//   state NAME TEXT            a retained state
//   fleet COUNT                COUNT fleeting messages at once
//   pace RATE SECONDS          fleeting messages at a rate, stamped for latency
//   flood SECONDS              fleeting messages as fast as they are taken
//   durable COUNT              COUNT events as fast as they are stored, then the time it took
//   single COUNT               COUNT events, each when the last is on the disk
//   reload KEY=VALUE…          new settings
//   figures                    the courier's figures
//   stop                       drain and end; so does the end of stdin
// `courier-rig write SEED COUNT` writes JSON for Python to judge instead.
func drive() {
  let arguments = CommandLine.arguments
  if arguments.count == 4, arguments[1] == "write" {
    var writing = Writing(seed: UInt64(arguments[2])!)
    return writing.write(Int(arguments[3])!)
  }
  var settings = CourierSettings()
  settings.read(Array(arguments.dropFirst()))
  let rig = Rig(settings)
  rig.start()
  while let line = readLine(), rig.obey(line.split(separator: " ").map(String.init)) {}
  rig.stop()
}

drive()
