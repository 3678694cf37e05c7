import { describeRows } from './describe-rows.ts'
import { OPERATOR_ROWS } from './rows/operators.ts'

describeRows(OPERATOR_ROWS)
