// Loaded before a program: kills it at its FISH_KILL_AT-th rename, as a power cut would.
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
