// npm run pictures: takes the pictures in the documentation, which show the built pages and a real shell.
import { takePages } from './pictures/pages.ts'
import { recordTerminals } from './pictures/terminals.ts'

await takePages()
await recordTerminals()
