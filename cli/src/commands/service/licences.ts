import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from '../../kit/define.ts'
import { LICENCE_FILE, PACKAGE_ROOT } from '../../package.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

export const licencesCommand = defineCommand({
  summary: 'Print the licences of fish-cli and of the software that it includes.',
  description:
    'The single executable also includes Node. An installation from npm includes only the bundled packages: every ' +
    'other package brings its own licence.',
  examples: ['fish-cli licences'],

  async run({ terminal }) {
    const licences = readdirSync(PACKAGE_ROOT, { recursive: true, encoding: 'utf8' })
      .filter((file) => LICENCE_FILE.test(file))
      .toSorted()
      .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(PACKAGE_ROOT, file), 'utf8') }))
    const lines = licences.flatMap(({ file, text }) => [`== ${file} ==`, '', ...text.trimEnd().split(/\r?\n/), ''])
    return terminal.print(licences, () => lines, COPYABLE)
  },
})
