import { cachingBehaviour } from './behaviour/caching.ts'
import { encodingBehaviour } from './behaviour/encoding.ts'
import { freshnessBehaviour } from './behaviour/freshness.ts'
import { createWorld } from './world.ts'

cachingBehaviour(createWorld)
encodingBehaviour(createWorld)
freshnessBehaviour(createWorld)
