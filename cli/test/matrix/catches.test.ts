import { describeRows } from './describe-rows.ts'
import { CATCH_ROWS } from './rows/catches.ts'

describeRows(CATCH_ROWS)
