import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { render, SHAPE_FILES } from './shape-files.ts'

const PACKAGE = join(import.meta.dirname, '..')

for (const file of SHAPE_FILES) writeFileSync(join(PACKAGE, file.path), render(file))
