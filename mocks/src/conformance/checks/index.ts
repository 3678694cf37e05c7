import { adminAuditChecks } from './admin-audit.ts'
import { adminCatchesChecks } from './admin-catches.ts'
import { adminReportsChecks } from './admin-reports.ts'
import { adminLimitChecks, adminRolesChecks, adminSessionChecks } from './admin-sessions.ts'
import { adminKeysChecks, adminResetsChecks, adminUsersChecks, adminUsersDeletedChecks } from './admin-users.ts'
import { bodiesChecks } from './bodies.ts'
import { cachingChecks } from './caching.ts'
import { type Check, SECTIONS } from './check.ts'
import { corsChecks } from './cors.ts'
import { credentialsChecks, keyChecks } from './key.ts'
import { namesChecks } from './names.ts'
import { operationsChecks, statusChecks } from './operations.ts'
import { rateLimitBypassChecks, rateLimitChecks, rateLimitSpentChecks } from './rate-limit.ts'
import { pagingChecks, readsChecks } from './reads.ts'
import { pathsChecks, responsesChecks } from './responses.ts'
import { replayChecks, tokensChecks } from './tokens.ts'
import { payloadsChecks, writesChecks, writesRefusedChecks } from './writes.ts'

/** All checks by section. Those that exhaust a rate limit come last. */
export function allChecks(): readonly Check[] {
  const checks = [
    ...responsesChecks,
    ...pathsChecks,
    ...corsChecks,
    ...bodiesChecks,
    ...namesChecks,
    ...statusChecks,
    ...readsChecks,
    ...pagingChecks,
    ...cachingChecks,
    ...writesChecks,
    ...writesRefusedChecks,
    ...payloadsChecks,
    ...tokensChecks,
    ...replayChecks,
    ...adminSessionChecks,
    ...adminRolesChecks,
    ...adminUsersChecks,
    ...adminUsersDeletedChecks,
    ...adminKeysChecks,
    ...adminResetsChecks,
    ...adminCatchesChecks,
    ...adminReportsChecks,
    ...adminAuditChecks,
    ...adminLimitChecks,
    ...operationsChecks,
    ...keyChecks,
    ...credentialsChecks,
    ...rateLimitChecks,
    ...rateLimitBypassChecks,
    ...rateLimitSpentChecks,
  ]
  return Object.keys(SECTIONS).flatMap((section) => checks.filter((check) => check.section === section))
}
