// What stands in the bundle for '@oclif/core', whose own index loads everything and checks the version of Node once more.
import * as Args from '@oclif/core/args'
import { Command } from '@oclif/core/command'
import * as Errors from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

export { Args, Command, Errors, Flags }
