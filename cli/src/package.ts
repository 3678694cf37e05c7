import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Interfaces } from '@oclif/core'

/** Both the sources and the built files are in a folder directly below the root of the package. */
export const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Matches the paths of files with licences below {@link PACKAGE_ROOT}. */
export const LICENCE_FILE = /(?:^|[\\/])(?:licen[cs]e(?:_\w+)?|notice|third-party-licences)(?:\.(?:txt|md))?$/i

export function readManifest(): Interfaces.PJSON {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
}

export function versionText({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`
}
