import type { Damage } from './journal.ts'

/** How often experiments repeat their fault. `npm run verify -- --all` uses `short`. */
export type Scale = 'short' | 'long'

/** A fault, and the conditions that must hold during and after it. */
export interface Experiment {
  readonly name: string
  /** Describes the fault in one sentence. */
  readonly how: string
  /** Whether the experiment takes minutes, so that only the long form runs it. */
  readonly isLong?: true
  /** Returns the reason why this machine cannot run the experiment, or `undefined` if it can. */
  readonly missing?: () => string | undefined
  run(scale: Scale): Promise<Finding>
}

/** The result of an experiment. */
export interface Finding {
  readonly figure: string
  readonly limit: string
  readonly isMet: boolean
  /** The outcome of the posted catches, if the experiment posts catches. */
  readonly catches?: Catches
}

export interface Catches extends Damage {
  readonly acknowledged: number
  /** The number of requests that got no response. */
  readonly hung: number
  /** The longest time from sending a catch to its acknowledgement, including the outage, in milliseconds. */
  readonly slowestMs: number
}

/** One row of the table. */
export interface Row extends Omit<Finding, 'isMet'> {
  readonly experiment: string
  readonly how: string
  readonly verdict: 'met' | 'MISSED' | 'skipped'
  readonly seconds: number
}

/** Whether no catch is damaged and no request hung. */
export function isWhole({ lost, doubled, torn, falselyAcknowledged, disordered, hung }: Catches): boolean {
  return lost + doubled + torn + falselyAcknowledged + disordered + hung === 0
}

const COLUMNS = [
  'experiment',
  'figure',
  'limit',
  'acknowledged',
  'lost',
  'doubled',
  'torn',
  'false',
  'hung',
  'slowest',
  'verdict',
]

/** Formats the rows as cells, with a heading. */
export function cells(rows: readonly Row[]): string[][] {
  return [
    COLUMNS,
    ...rows.map(({ experiment, figure, limit, catches, verdict }) => [
      experiment,
      figure,
      limit,
      ...(catches ? catchCells(catches) : COLUMNS.slice(3, -1).map(() => '')),
      verdict,
    ]),
  ]
}

function catchCells({ acknowledged, lost, doubled, torn, disordered, falselyAcknowledged, hung, slowestMs }: Catches) {
  const counts = [acknowledged, lost, doubled, torn + disordered, falselyAcknowledged, hung].map((count) =>
    count.toLocaleString('en'),
  )
  return [...counts, slowestMs === 0 ? '' : `${(slowestMs / 1000).toFixed(1)} s`]
}

/** Generates docs/proof.md. */
export function page(rows: readonly Row[]): string {
  const table = cells(rows).map((row) => `| ${row.join(' | ')} |`)
  const heading = table[0] ?? ''
  const rule = heading.replace(/[^|]+/g, ' --- ')
  const list = rows.map(({ experiment, how }) => `- **${experiment}**: ${how}`)
  return `${[
    '# Proof',
    '',
    '<!-- Written by `npm run prove -- --long`. -->',
    '',
    '`npm run prove` injects faults under load and checks that no acknowledged catch is lost. Each row of the table describes one',
    'experiment. Each experiment runs the built server in a separate process. The figures come from the long form',
    '(`npm run prove -- --long`), on a machine with two cores. The short form (`npm run prove`) is part of `npm run verify -- --all`.',
    'Each client sends a catch until the server acknowledges it, and then sends the next catch. The client records each acknowledgement',
    'in a journal, and flushes the journal to disk. At the end, the experiment compares the journal with the stored catches.',
    '',
    heading,
    rule,
    ...table.slice(1),
    '',
    'The columns contain these figures:',
    '',
    '- **acknowledged**: number of catches that the server acknowledged with 200 or 201.',
    '- **lost**: number of acknowledged catches that are not stored.',
    '- **doubled**: number of catches that are stored more than once.',
    '- **torn**: number of catches that differ from the catch that the client sent, or that are in the wrong order.',
    '- **false**: number of catches that the server acknowledged with a wrong id.',
    '- **hung**: number of requests that got no response within 15 s.',
    '- **slowest**: longest time from the first attempt to send a catch until its acknowledgement, including the outage.',
    '',
    '## Experiments',
    '',
    ...list,
    '',
    'The README of the server describes [what cannot be promised](../server/README.md#what-cannot-be-promised).',
  ].join('\n')}\n`
}
