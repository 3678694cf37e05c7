import type { RarityLabel } from '@fish-crab/sdk'
import type { ComponentChildren } from 'preact'
import { memo } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { CREATURE_SIZE, creatureOf, silhouetteOf } from '../../../src/drawings/creature.ts'
import type { Kind } from '../data/summary.ts'
import './creature.css'

const TINTS: Readonly<Record<RarityLabel, string>> = {
  Bronze: 'bronze',
  Silver: 'silver',
  Gold: 'gold',
  Diamond: 'diamond',
  'Unknown/Other': 'unknown',
  Platinum: 'platinum',
  Mythical: 'mythical',
}

/** Returns the class that sets `--tint` to the colour of a rarity, or to the colour of crabs if there is no rarity. */
export function tintOf(rarity: RarityLabel | undefined): string {
  return rarity === undefined ? 'crab' : (TINTS[rarity] ?? 'unknown')
}

interface CreatureProps {
  readonly kind: Kind
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  /** Draws the species without its colours. @default false */
  readonly isSilhouette?: boolean
}

const { width, height } = CREATURE_SIZE

/** The drawing of a species, beside a text that names it. */
export const Creature = memo((props: CreatureProps) => (
  <Frame>
    <Paths {...props} />
  </Frame>
))

/** A drawing below the first view. The page of the server omits its paths, so that the first view arrives sooner. */
export function LateCreature(props: CreatureProps) {
  const [isHydrated, setHydrated] = useState(false)
  useEffect(() => setHydrated(true), [])
  return <Frame>{isHydrated && <Paths {...props} />}</Frame>
}

function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg class="creature" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      {children}
    </svg>
  )
}

function Paths({ kind, name, rarity, isSilhouette = false }: CreatureProps) {
  return (
    <>
      {(isSilhouette ? silhouetteOf : creatureOf)({ kind, name, rarity }).map(
        ({ d, fill = 'none', stroke, strokeWidth, opacity }, index) => (
          <path key={index} d={d} fill={fill} stroke={stroke} stroke-width={strokeWidth} opacity={opacity} />
        ),
      )}
    </>
  )
}
