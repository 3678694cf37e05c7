import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { HistoryEntry } from '@fish-crab/mocks'
import type { RouteName } from '@fish-crab/sdk/contract'
import { type Env, type RunOptions, type RunResult, run } from '../harness.ts'
import { type SecretName, tracesIn } from './canaries.ts'
import { type CellContext, openContext } from './context.ts'
import { FAULTS } from './outcomes.ts'
import type { Outcome, Row } from './row.ts'
import { setUp } from './setups.ts'

/** One command line in one situation. */
export interface Cell {
  readonly row: Row
  readonly outcome: Outcome
  /** The route whose every request fails. @default every request does */
  readonly route?: RouteName | undefined
  readonly store: CellContext['store']
}

/** The result of one run. */
export interface CellResult extends RunResult {
  /** The routes that got a request. */
  readonly requested: ReadonlySet<string>
  /** Files that are new or other than before. */
  readonly changed: readonly string[]
  /** Where secrets were found, and which. */
  readonly traces: readonly string[]
}

const SECRETS_FILE = 'state/fish-crab/secrets.json'
/** Where rows let `--out` write a secret. */
const SECRET_FILE = 'secret-file'

/** Runs a cell in its own context. */
export async function runCell(cell: Cell, more: readonly string[] = [], env: Env = {}): Promise<CellResult> {
  const { row, outcome, route, store } = cell
  await using context = await openContext({ store, withoutServer: outcome === 'no server' })
  await setUp(context, row.given)
  const fault = FAULTS[outcome]
  if (fault) context.mock.fail(fault, { times: Number.POSITIVE_INFINITY, ...(route ? { on: route } : {}) })
  return await runIn(context, row, { more, env })
}

/** What {@link runIn} adds to what a row says. */
export interface RunInOptions {
  readonly more?: readonly string[]
  /** Instead of the arguments of the row. */
  readonly args?: readonly string[] | undefined
  readonly env?: Env | undefined
  readonly how?: RunOptions
}

/** Runs the command line of a row, and looks for secrets wherever they must not be. */
export async function runIn(
  context: CellContext,
  row: Row,
  { more = [], args, env, how }: RunInOptions = {},
): Promise<CellResult> {
  const { mock, home } = context
  const before = { files: await filesIn(home), requests: mock.requests.length }
  const filled = <Value extends string | undefined>(text: Value) => fill(text, context) as Value
  const argv = [...row.id.split(':'), ...(args ?? row.args ?? []), ...more].map(filled)
  const all = { ...context.env, ...row.env, ...env }
  const filledEnv = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, filled(value)]))
  const result = await run(argv, { ...(row.runsOn ? stopOnceReady() : {}), ...how, env: filledEnv })
  const requests = mock.requests.slice(before.requests)
  const allowed = row.shows?.secrets ?? []
  const changed = [...(await filesIn(home))].filter(([name, text]) => before.files.get(name) !== text)
  const traces = [
    ...tracesIn(result.stdout, allowed).map((name) => `${name} on stdout`),
    ...tracesIn(result.stderr, row.shows?.onStderr ? allowed : []).map((name) => `${name} on stderr`),
    ...changed.flatMap(tracesInFile),
    ...requests.flatMap(tracesInAddress),
  ]
  return {
    ...result,
    requested: new Set(requests.map(({ route }) => route)),
    changed: changed.map(([name]) => name),
    traces,
  }
}

function fill(text: string | undefined, { home, url, service, record }: CellContext): string | undefined {
  return text
    ?.replaceAll('{record}', record)
    .replaceAll('{home}', home)
    .replaceAll('{url}', url)
    .replaceAll('{port}', new URL(service).port)
}

function stopOnceReady(): Pick<RunOptions, 'onStdout' | 'stopRequested'> {
  const ready = Promise.withResolvers<void>()
  const stops = [ready.promise]
  return { onStdout: () => ready.resolve(), stopRequested: () => stops.shift() ?? new Promise(() => {}) }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const read = files.map(
    async (path) => [relative(folder, path), await readFile(path, 'latin1').catch(() => '')] as const,
  )
  return new Map(await Promise.all(read))
}

function tracesInFile([name, text]: readonly [string, string]): readonly string[] {
  return [
    ...tracesIn(text, allowedIn(name)).map((trace) => `${trace} in ${name}`),
    ...tracesIn(name).map((trace) => `${trace} in the name of a file`),
  ]
}

/** The store of secrets holds keys and sessions, and no password. A file that was asked for holds what was asked for. */
function allowedIn(name: string): readonly (SecretName | 'new')[] {
  if (name === SECRETS_FILE) return ['fernetKey', 'apiKey', 'new']
  return name === SECRET_FILE
    ? ['fernetKey', 'new']
    : name.endsWith('.db') || /\.db-\w+$|\.jsonl$/.test(name)
      ? ['new']
      : []
}

/** The journal blanks out secrets that it knows, so that a blank is a trace as well. */
function tracesInAddress({ path, query }: HistoryEntry): readonly string[] {
  const address = `${path}?${JSON.stringify(query)}`
  const found = [
    ...tracesIn(address),
    ...tracesIn(decodeURIComponent(path)),
    ...(address.includes('[redacted]') ? ['a secret'] : []),
  ]
  return found.map((name) => `${name} in an address`)
}
