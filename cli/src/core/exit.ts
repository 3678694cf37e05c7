/** What the exit status of `fish-cli` says. 69 and 75 are `EX_UNAVAILABLE` and `EX_TEMPFAIL` of sysexits(3). */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  credentials: 4,
  notFound: 5,
  conflict: 6,
  partly: 7,
  unreachable: 69,
  rateLimited: 75,
  interrupted: 130,
} as const

/** One of the documented exit statuses. */
export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]
