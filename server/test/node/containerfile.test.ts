import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

describe('the Containerfile', () => {
  test('copies every folder and file that the build reads', () => {
    const { scripts, workspaces } = JSON.parse(read('package.json'))
    const [builder = ''] = read('server/Containerfile')
      .split(/^FROM .* AS build$|^FROM /m)
      .slice(1)
    const copied = [...builder.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '))
    const named = [...scripts.build.matchAll(/(?<= )[a-z]+(?=\/)/g)].map(([folder]) => folder)
    expect(named).toContain('scripts')
    expect(copied).toEqual(
      expect.arrayContaining([...workspaces, ...named, 'package-lock.json', 'tsconfig.json', 'tsup.config.ts']),
    )
  })
})
