import { brand, FishCrabError } from './fish-crab-error.ts'

/** One thing that is wrong, and where: `fish.0.rarity`, `gamemode`, … */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** Options or arguments are wrong; nothing was sent. `issues` names each mistake. `code` is `invalid_input`. */
export class ValidationError extends FishCrabError {
  static {
    brand(ValidationError, 'ValidationError')
  }
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join(' '), { code: 'invalid_input' })
    this.issues = issues
  }
}
