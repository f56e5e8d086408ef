import CLinux

exit(Program.run().rawValue)
