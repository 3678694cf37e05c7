import { accountsChecks } from './accounts.ts'
import { adminAuditChecks, adminReportsChecks } from './admin-reports.ts'
import { adminLimitChecks, adminSessionChecks } from './admin-sessions.ts'
import { adminUsersChecks } from './admin-users.ts'
import type { Check } from './check.ts'
import { eventsChecks } from './events.ts'
import { keyChecks } from './key.ts'
import { namesChecks } from './names.ts'
import { operationsChecks, statusChecks } from './operations.ts'
import { rateLimitChecks } from './rate-limit.ts'
import { codingChecks, readsChecks } from './reads.ts'
import { adminRecordsChecks, ownRecordsChecks } from './records.ts'
import { bodiesChecks, corsChecks, responsesChecks } from './responses.ts'
import { accessChecks, errorChecks, etagChecks, formChecks, originChecks, passwordChecks } from './routes.ts'
import { summaryChecks } from './summary.ts'
import { tokensChecks } from './tokens.ts'
import { writesChecks } from './writes.ts'

/** All checks, in the order of the sections. Checks that exhaust a rate limit come last. */
export const CHECKS: readonly Check[] = [
  ...responsesChecks,
  ...formChecks,
  ...errorChecks,
  ...corsChecks,
  ...originChecks,
  ...bodiesChecks,
  ...namesChecks,
  ...statusChecks,
  ...readsChecks,
  ...etagChecks,
  ...codingChecks,
  ...summaryChecks,
  ...eventsChecks,
  ...writesChecks,
  ...ownRecordsChecks,
  ...tokensChecks,
  ...adminSessionChecks,
  ...accessChecks,
  ...adminUsersChecks,
  ...accountsChecks,
  ...adminRecordsChecks,
  ...adminReportsChecks,
  ...adminAuditChecks,
  ...adminLimitChecks,
  ...operationsChecks,
  ...passwordChecks,
  ...keyChecks,
  ...rateLimitChecks,
]
