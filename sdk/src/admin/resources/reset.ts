import type { ResponseSchema } from '../../client/call.ts'
import type { ResetType } from '../../contract/schemas/admin.ts'
import { resetResultShape } from '../shapes.generated.ts'

/** The new secret, under the name of what it replaces. */
export interface ResetResult {
  readonly password: { readonly password: string }
  readonly fernet: { readonly fernetKey: string }
  readonly 'api-key': { readonly apiKey: string }
}

/** Under which name a reset answers the new secret. */
export const RESET_FIELDS = {
  password: 'password',
  fernet: 'fernetKey',
  'api-key': 'apiKey',
} as const satisfies { readonly [Type in ResetType]: keyof ResetResult[Type] }

/** The form of the answer to one reset, which is stricter than the contract's: the secret must be the one asked for. */
export function resetShape<Type extends ResetType>(type: Type): ResponseSchema<ResetResult[Type]> {
  const field = RESET_FIELDS[type]
  return {
    safeParse(value) {
      const result = resetResultShape.safeParse(value)
      if (!result.success) return result
      if (field in result.data) return { success: true, data: result.data as unknown as ResetResult[Type] }
      return { success: false, error: { issues: [{ path: [field], message: 'Must be there.' }] } }
    },
  }
}
