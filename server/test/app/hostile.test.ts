import { hostileBehaviour } from './behaviour/hostile.ts'
import { createWorld } from './world.ts'

hostileBehaviour(createWorld)
