import { ERROR_CODES } from '@fish-crab/sdk/constants'
import { CliError } from '../core/cli-error.ts'
import type { Rights } from '../core/rights.ts'
import { exitOfRefusal } from './exit-of-refusal.ts'
import { refusalHint } from './refusal-hints.ts'

/** The refusal that the service would answer to a deed, for a dry run: told as if it had answered it. */
export function foreseenRefusal(code: keyof typeof ERROR_CODES, needs: Rights): CliError {
  const { status, message } = ERROR_CODES[code]
  const hint = refusalHint(status, code, needs)
  return new CliError({ code, message, exit: exitOfRefusal({ status, code }), ...(hint === undefined ? {} : { hint }) })
}
