import { CommandHelp } from '@oclif/core/help'
import { EXIT_CODES_PAGE } from './exit-codes.ts'

// What stays together in a synopsis: a word, or brackets with all that is in them.
const ELEMENT = /\[[^\]]*\]|\S+/g
const INDENT = 2
const GLOBAL_ELEMENTS = ['[--no-color]', '[--json]']

/** The help of one command: its usage breaks between flags only, and its summary is not said twice. */
export class FishCommandHelp extends CommandHelp {
  /** The words of the command, and its arguments and flags as elements that stay in one line. */
  synopsis(): { readonly words: string; readonly elements: readonly string[] } {
    const words = this.command.id.replaceAll(':', ' ')
    const usage = this.defaultUsage().replace('<%= command.id %>', '').trim()
    const elements = usage.match(ELEMENT) ?? []
    // Every command has them, and few who read a usage look for them.
    const isGlobal = (element: string) => GLOBAL_ELEMENTS.includes(element)
    return { words, elements: [...elements.filter((each) => !isGlobal(each)), ...GLOBAL_ELEMENTS] }
  }

  protected override usage(): string {
    const { words, elements } = this.synopsis()
    const width = this.opts.maxWidth - INDENT
    const lines = [`$ ${this.config.bin} ${words}`]
    for (const element of elements) {
      const line = `${lines.at(-1)} ${element}`
      if (line.length <= width) lines.splice(-1, 1, line)
      else lines.push(`${' '.repeat(INDENT)}${element}`)
    }
    return lines.join('\n')
  }

  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined || description === '' ? undefined : this.wrap(description)
  }

  override generate(): string {
    const more = `${this.config.bin} help ${EXIT_CODES_PAGE}`
    return `${super.generate()}\n\n${this.section('EXIT STATUS', this.wrap(`0 when all went well. The others: ${more}`))}`
  }
}
