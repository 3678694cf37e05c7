// A module to load before a program. The module kills the process before the FISH_KILL_AT-th rename, to simulate a
// power cut.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const rename = fs.renameSync
let left = Number(process.env.FISH_KILL_AT)
fs.renameSync = (from, to) => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
  rename(from, to)
}
syncBuiltinESMExports()
