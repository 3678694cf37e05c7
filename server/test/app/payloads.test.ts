import { catchNamesBehaviour } from './behaviour/catch-names.ts'
import { momentsBehaviour } from './behaviour/moments.ts'
import { payloadsBehaviour } from './behaviour/payloads.ts'
import { createWorld } from './world.ts'

payloadsBehaviour(createWorld)
momentsBehaviour(createWorld)
catchNamesBehaviour(createWorld)
