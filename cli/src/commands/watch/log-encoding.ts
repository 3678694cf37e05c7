import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import { promisify } from 'node:util'
import type { Env } from '../../core/system.ts'

/** An encoding in which the bytes below 0x80 are ASCII, or UTF-16. */
export interface LogEncoding {
  readonly decode: (bytes: Uint8Array) => string
  /** The bytes of a line feed, which stands only at multiples of its length. */
  readonly lineFeed: Uint8Array
}

// The upper halves of the code pages that TextDecoder does not know.
const TABLES: Readonly<Record<string, string>> = {
  437: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
}

/** Windows code pages that are not named `windows-` with their number in the Encoding Standard. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  932: 'windows-31j',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  866: 'ibm866',
  65001: 'utf-8',
}

/** Completes "must be …" in messages. */
export const ENCODING_RULE = 'a Windows code page or an encoding of the web, such as cp850, cp936, shift_jis or big5'

const LINE_FEED = 0x0a

/**
 * Returns the encoding with a WHATWG name or the number of a Windows code page, such as `cp932`. Returns `undefined` for
 * other names, and for ISO-2022-JP, whose lines cannot be decoded separately.
 */
export function logEncoding(name: string): LogEncoding | undefined {
  const [, codePage] = /^(?:cp|ms|ibm|windows)?-?(\d{3,5})$/i.exec(name.trim()) ?? []
  const table = TABLES[codePage ?? '']
  if (table !== undefined) return { decode: (bytes) => decodeTable(bytes, table), lineFeed: Uint8Array.of(LINE_FEED) }
  try {
    const decoder = new TextDecoder(codePage === undefined ? name : (CODE_PAGES[codePage] ?? `windows-${codePage}`))
    if (decoder.encoding === 'iso-2022-jp') return undefined
    return { decode: (bytes) => decoder.decode(bytes), lineFeed: lineFeedOf(decoder.encoding) }
  } catch {
    return undefined
  }
}

function lineFeedOf(encoding: string): Uint8Array {
  if (encoding === 'utf-16le') return Uint8Array.of(LINE_FEED, 0)
  return encoding === 'utf-16be' ? Uint8Array.of(0, LINE_FEED) : Uint8Array.of(LINE_FEED)
}

function decodeTable(bytes: Uint8Array, table: string): string {
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80])).join('')
}

interface SystemInfo {
  readonly platform: string
  readonly env: Env
  /** Returns the output of `reg query` for the ANSI code page of Windows, or `undefined` if it fails. */
  readonly readRegistry?: () => Promise<string | undefined>
}

/**
 * Returns the encoding, other than UTF-8, in which programs of this machine write text files by default: the ANSI code
 * page of Windows, or the codeset of the locale.
 */
export async function systemEncoding({
  platform,
  env,
  readRegistry = () => queryCodePage(env),
}: SystemInfo): Promise<string | undefined> {
  const name =
    platform === 'win32'
      ? /\bACP\s+REG_SZ\s+(\d+)/.exec((await readRegistry()) ?? '')?.[1]
      : /\.([^@]+)/.exec(env.LC_ALL || env.LC_CTYPE || env.LANG || '')?.[1]
  return name === undefined || /^(?:utf-?8|65001)$/i.test(name) ? undefined : name.replace(/^euc(?=\w)/i, 'euc-')
}

async function queryCodePage({ SystemRoot = 'C:\\Windows' }: Env): Promise<string | undefined> {
  // The full path prevents Windows from running a program in the current folder.
  const reg = win32.join(SystemRoot, 'System32', 'reg.exe')
  const key = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage'
  const result = await promisify(execFile)(reg, ['query', key, '/v', 'ACP'], { windowsHide: true }).catch(() => {})
  return result?.stdout
}
