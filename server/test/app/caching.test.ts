import { cachingBehaviour } from './behaviour/caching.ts'
import { createWorld } from './world.ts'

cachingBehaviour(createWorld)
