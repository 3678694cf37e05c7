import { describe } from 'vitest'
import { everyBehaviour } from '../behaviour/all.ts'
import { createSocketWorld } from './socket-world.ts'

describe('over a socket', () => everyBehaviour(createSocketWorld))
