import { describeRows } from './describe-rows.ts'
import { IDENTITY_ROWS } from './rows/identities.ts'

describeRows(IDENTITY_ROWS)
