import type { OpenService } from '../test-service.ts'
import { adminAccountsBehaviour } from './admin-accounts.ts'
import { adminAuditBehaviour } from './admin-audit.ts'
import { adminCatchesBehaviour } from './admin-catches.ts'
import { adminChangesBehaviour } from './admin-changes.ts'
import { lastSuperadminBehaviour } from './admin-last-superadmin.ts'
import { adminLeaderboardBehaviour } from './admin-leaderboard.ts'
import { adminRemovalBehaviour } from './admin-removal.ts'
import { adminSessionBehaviour } from './admin-session.ts'
import { adminTalliesBehaviour } from './admin-tallies.ts'
import { adminUsersBehaviour } from './admin-users.ts'
import { bodiesBehaviour } from './bodies.ts'
import { cachingBehaviour } from './caching.ts'
import { catchNamesBehaviour } from './catch-names.ts'
import { corsBehaviour } from './cors.ts'
import { encodingBehaviour } from './encoding.ts'
import { eventsBehaviour } from './events.ts'
import { freshnessBehaviour } from './freshness.ts'
import { gamemodesBehaviour } from './gamemodes.ts'
import { hostileBehaviour } from './hostile.ts'
import { momentsBehaviour } from './moments.ts'
import { ownCatchesBehaviour } from './own-catches.ts'
import { pagingBehaviour } from './paging.ts'
import { payloadsBehaviour } from './payloads.ts'
import { rateLimitBehaviour } from './rate-limit.ts'
import { rateLimitBypassBehaviour } from './rate-limit-bypass.ts'
import { readsBehaviour } from './reads.ts'
import { replayBehaviour } from './replay.ts'
import { lateReplayBehaviour } from './replay-late.ts'
import { answersBehaviour } from './responses.ts'
import { statusBehaviour } from './status.ts'
import { userKeyBehaviour } from './user-key.ts'
import { writesBehaviour } from './writes.ts'

/** What works on stored data, in the ways that storages differ in: atomic changes, counts, versions, replays. */
export function storedBehaviour(open: OpenService): void {
  adminRemovalBehaviour(open)
  adminTalliesBehaviour(open)
  cachingBehaviour(open)
  eventsBehaviour(open)
  freshnessBehaviour(open)
  gamemodesBehaviour(open)
  lastSuperadminBehaviour(open)
  lateReplayBehaviour(open)
  ownCatchesBehaviour(open)
  replayBehaviour(open)
}

/** The behaviour of every service, whatever its storage and transport. */
export function everyBehaviour(open: OpenService): void {
  storedBehaviour(open)
  adminAccountsBehaviour(open)
  adminAuditBehaviour(open)
  adminCatchesBehaviour(open)
  adminChangesBehaviour(open)
  adminLeaderboardBehaviour(open)
  adminSessionBehaviour(open)
  adminUsersBehaviour(open)
  answersBehaviour(open)
  bodiesBehaviour(open)
  catchNamesBehaviour(open)
  corsBehaviour(open)
  encodingBehaviour(open)
  hostileBehaviour(open)
  momentsBehaviour(open)
  pagingBehaviour(open)
  payloadsBehaviour(open)
  rateLimitBehaviour(open)
  rateLimitBypassBehaviour(open)
  readsBehaviour(open)
  statusBehaviour(open)
  userKeyBehaviour(open)
  writesBehaviour(open)
}
