// What means something to roff, and the character that shows what was written: a plain `-` would become a hyphen, and
// quotes would become typographic ones, which no shell takes (groff_char(7), man(7) "Portability").
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
}

const SPECIAL = /[\\\-'`^~"]|[^\u0020-\u007e]/gu

/** A text of one line as roff shows it, sign by sign. */
export function escaped(text: string): string {
  return text.replaceAll('\n', ' ').replace(SPECIAL, (sign) => SIGNS[sign] ?? unicode(sign))
}

function unicode(sign: string): string {
  return `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}

/** A line of text. At its start, `.` would begin a request; `'` is escaped anywhere. */
export function line(text: string): string {
  return escaped(text).replace(/^\./, '\\&.')
}

/** Bold text in a line, which may follow or precede others. */
export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fP`
}

/** Italic text in a line: a word to be replaced by a value. */
export function italic(text: string): string {
  return `\\fI${escaped(text)}\\fP`
}

/** A request with its arguments, each one argument whatever is in it. */
export function request(name: string, ...args: readonly string[]): string {
  return [`.${name}`, ...args.map((arg) => `"${escaped(arg)}"`)].join(' ')
}

/** An entry of a list: a label that is roff already, and its text. */
export function entry(label: string, text: string): readonly string[] {
  return ['.TP', label, line(text)]
}

/** Lines that are shown as they are, none filled. */
export function verbatim(lines: readonly string[]): readonly string[] {
  return ['.nf', ...lines.map(line), '.fi']
}
