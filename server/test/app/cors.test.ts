import { corsBehaviour } from './behaviour/cors.ts'
import { createWorld } from './world.ts'

corsBehaviour(createWorld)
