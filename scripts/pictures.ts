// npm run pictures: takes the pictures that the documentation shows, of the built pages and of a real shell.
import { takePages } from './pictures/pages.ts'
import { recordTerminals } from './pictures/terminals.ts'

await takePages()
await recordTerminals()
