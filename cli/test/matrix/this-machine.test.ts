import { describeRows } from './describe-rows.ts'
import { THIS_MACHINE_ROWS } from './rows/this-machine.ts'

describeRows(THIS_MACHINE_ROWS)
