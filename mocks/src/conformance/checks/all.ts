import type { Check } from '../runner/check.ts'
import { SECTIONS } from '../runner/sections.ts'
import { adminAuditChecks } from './admin-audit.ts'
import { adminCatchesChecks } from './admin-catches.ts'
import { adminKeysChecks } from './admin-keys.ts'
import { adminLimitChecks } from './admin-limit.ts'
import { adminReportsChecks } from './admin-reports.ts'
import { adminResetsChecks } from './admin-resets.ts'
import { adminRolesChecks } from './admin-roles.ts'
import { adminSessionChecks } from './admin-session.ts'
import { adminUsersChecks } from './admin-users.ts'
import { adminUsersDeletedChecks } from './admin-users-deleted.ts'
import { answersChecks } from './answers.ts'
import { bodiesChecks } from './bodies.ts'
import { corsChecks } from './cors.ts'
import { credentialsChecks } from './credentials.ts'
import { keyChecks } from './key.ts'
import { namesChecks } from './names.ts'
import { operationsChecks } from './operations.ts'
import { pagingChecks } from './paging.ts'
import { pathsChecks } from './paths.ts'
import { payloadsChecks } from './payloads.ts'
import { rateLimitChecks } from './rate-limit.ts'
import { rateLimitBypassChecks } from './rate-limit-bypass.ts'
import { rateLimitSpentChecks } from './rate-limit-spent.ts'
import { readsChecks } from './reads.ts'
import { replayChecks } from './replay.ts'
import { statusChecks } from './status.ts'
import { tokensChecks } from './tokens.ts'
import { transferChecks } from './transfer.ts'
import { writesChecks } from './writes.ts'
import { writesRefusedChecks } from './writes-refused.ts'

/** Every check, by section. Those that use up a limit of this client come last. */
export function allChecks(): readonly Check[] {
  const checks = [
    ...answersChecks,
    ...pathsChecks,
    ...corsChecks,
    ...bodiesChecks,
    ...namesChecks,
    ...statusChecks,
    ...readsChecks,
    ...pagingChecks,
    ...transferChecks,
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
