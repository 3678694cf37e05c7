// A module to load before a program. The module sends FISH_SIGNAL to the process when the process creates a file with a
// path that matches FISH_SIGNAL_AT. With FISH_SIGNAL_GROUP, the module sends the signal to the whole process group, as
// a terminal does after Ctrl-C.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { FISH_SIGNAL: signal, FISH_SIGNAL_AT: at = '', FISH_SIGNAL_GROUP: isGroup } = process.env
const { open, openSync } = fs
let isSent = false
const watch = (path, flags) => {
  if (isSent || flags !== 'wx' || !new RegExp(at).test(path)) return
  isSent = true
  process.kill(isGroup ? 0 : process.pid, signal)
}
fs.open = (path, flags, ...more) => {
  open(path, flags, ...more)
  watch(path, flags)
}
fs.openSync = (path, flags, ...more) => {
  const handle = openSync(path, flags, ...more)
  watch(path, flags)
  return handle
}
syncBuiltinESMExports()
