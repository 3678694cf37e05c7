import type { Row } from '../row.ts'
import { ADMINISTRATOR_ROWS } from './administrators.ts'
import { CATCH_ROWS } from './catches.ts'
import { IDENTITY_ROWS } from './identities.ts'
import { OPERATOR_ROWS } from './operators.ts'
import { THIS_MACHINE_ROWS } from './this-machine.ts'

/** Every row of the matrix. */
export const ALL_ROWS: readonly Row[] = [
  ...CATCH_ROWS,
  ...IDENTITY_ROWS,
  ...ADMINISTRATOR_ROWS,
  ...THIS_MACHINE_ROWS,
  ...OPERATOR_ROWS,
]
