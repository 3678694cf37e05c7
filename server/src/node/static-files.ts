import { createHash } from 'node:crypto'
import type { StaticFile } from '../app/http/response.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}

/** Creates a static file from its name and content. The extension of the name sets the content type. */
export function toStaticFile(name: string, content: Uint8Array, more: Partial<StaticFile> = {}): StaticFile {
  const body = new Uint8Array(content)
  return {
    contentType: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    body,
    version: createHash('sha256').update(body).digest('base64url').slice(0, 22),
    ...more,
  }
}
