// Copies the pages, fonts and documents of the server next to the services of the CLI.
import { cpSync, rmSync } from 'node:fs'

for (const folder of ['web', 'docs', 'fonts']) {
  const target = `cli/dist/services/${folder}`
  rmSync(target, { recursive: true, force: true })
  cpSync(`server/dist/${folder}`, target, { recursive: true, filter: (file) => !file.endsWith('.map') })
}
