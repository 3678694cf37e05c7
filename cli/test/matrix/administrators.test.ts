import { describeRows } from './describe-rows.ts'
import { ADMINISTRATOR_ROWS } from './rows/administrators.ts'

describeRows(ADMINISTRATOR_ROWS)
