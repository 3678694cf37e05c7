import { type Client, NotFoundError } from '@fish-crab/sdk'
import {
  ALL_TIME,
  LEADERBOARD_FIGURES,
  leaderboardIssue,
  MONTH_PATTERN,
  RARITIES,
  userNameKey,
} from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseRarity, rarityList } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'
import { kindNamed, unknownKind } from './catch-list.ts'
import { parseCatchQuery } from './catch-query.ts'

const COLUMNS: readonly Column[] = [
  { field: 'place', title: '#', align: 'right' },
  { field: 'name', title: 'PLAYER' },
  { field: 'count', align: 'right' },
]

export const leaderboardCommand = defineCommand({
  summary: 'Show who has caught the most.',
  description:
    'Players with equal counts share a place. Everybody can see a leaderboard that the operator has published, which is ' +
    'counted at most every ten minutes. Administrators can always see the current leaderboard of catches, with --admin.',
  examples: [
    'fish-cli leaderboard',
    'fish-cli leaderboard crabs --gamemode earth --limit 3',
    'fish-cli leaderboard fish --by mythical',
    'fish-cli leaderboard --period 2026-11 --chart',
  ],
  args: { kind: Args.string({ description: 'fish or crabs (default fish)' }) },
  flags: {
    gamemode: Flags.string({ char: 'g', summary: 'Count only this gamemode (default: all).', helpValue: 'GAMEMODE' }),
    by: Flags.string({
      summary: 'Count catches, species, or the fish of a rarity (default: catches).',
      helpValue: 'FIGURE',
    }),
    period: Flags.string({
      summary: 'Count only a UTC month, such as 2026-11 (default: all).',
      helpValue: 'MONTH',
    }),
    limit: Flags.string({
      summary: 'Show at most N players, 1 to 1000 (default 10; without --admin, 1 to 100).',
      helpValue: 'N',
    }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  // The role selects the hint for an error about missing rights. In this command, only an administrator can get such an
  // error.
  role: 'administrator',
  completion: {
    kind: words(['fish', 'crabs']),
    by: words(['catches', 'species', ...RARITIES.map(({ label }) => label)]),
  },

  async run({ session, terminal, args, flags }) {
    const type = kindNamed(args.kind)
    if (!type) throw unknownKind('fish-cli leaderboard crabs')
    const { limit } = parseCatchQuery({ limit: flags.limit }, session.clock.now())
    const gamemode = flags.gamemode === undefined ? undefined : await session.optionalGamemode()
    const range = { kind: type, gamemode, limit, ...parseFigure(type, flags) }
    // Only the public leaderboard counts anything else than all catches.
    const isPublic = !session.isAdministrator || range.by !== undefined || range.period !== undefined
    const { leaderboard, you } = await (isPublic ? readPublic : readAsAdministrator)(session, range)
    const rows = leaderboard.map(({ name, count }) => ({
      place: 1 + leaderboard.filter((other) => other.count > count).length,
      name,
      count,
    }))
    const user = session.target.user?.value
    // The place of the player below the list.
    if (you && user !== undefined && !rows.some(({ name }) => userNameKey(name) === userNameKey(user))) {
      rows.push({ place: you.rank, name: user, count: you.count })
    }
    const output = {
      rows,
      columns: COLUMNS,
      document: { type, gamemode: gamemode ?? null, leaderboard: rows },
      empty: 'No catches yet.',
    }
    if (!flags.chart) return terminal.printRows(output)
    return terminal.printChart({ ...output, charts: [rows.map(({ name, count }) => ({ label: name, value: count }))] })
  },
})

type Range = Pick<Parameters<Client['leaderboard']>[0], 'kind' | 'gamemode' | 'by' | 'period' | 'limit'>

function parseFigure(
  kind: Range['kind'],
  flags: { readonly by?: string | undefined; readonly period?: string | undefined },
) {
  const { by, period } = flags
  const rarity = by === undefined ? undefined : parseRarity(by)
  const figure = LEADERBOARD_FIGURES.find((one) => one === (rarity === undefined ? by : String(rarity)))
  if (by !== undefined && !figure) throw usageError(`--by must be catches, species, or one of ${rarityList()}.`)
  if (period !== undefined && !MONTH_PATTERN.test(period)) throw usageError('--period must be a month such as 2026-11.')
  if (leaderboardIssue({ kind, by: figure ?? 'catches', period: period ?? ALL_TIME })) {
    throw usageError(
      figure === 'species' ? 'Species are not counted by month: omit --period.' : 'Crabs have no rarity: omit --by.',
    )
  }
  return { by: figure, period }
}

type Read = Pick<Awaited<ReturnType<Client['leaderboard']>>, 'leaderboard' | 'you'>

async function readAsAdministrator(session: Session, { kind, gamemode, limit }: Range): Promise<Read> {
  const admin = await session.admin()
  return admin.leaderboard({ signal: session.signal, gamemode, limit, type: kind })
}

async function readPublic(session: Session, range: Range): Promise<Read> {
  const client = await session.client()
  try {
    return await client.leaderboard({ ...range, user: session.target.user?.value, signal: session.signal })
  } catch (error) {
    if (!(error instanceof NotFoundError && error.code === 'not_found')) throw error
    throw new CliError({
      code: error.code,
      message: 'This service has no public leaderboard.',
      hint: 'The operator can publish it with FISH_PUBLIC_LEADERBOARD=1. Administrators can run: fish-cli leaderboard --admin admin',
      exit: EXIT.notFound,
      requestId: error.requestId,
    })
  }
}
