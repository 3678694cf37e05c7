import type { RarityLabel } from '@fish-crab/sdk'
import type { ComponentChildren } from 'preact'
import './drawings.css'

/** The name of a drawing, also in class names and ids. */
export type Shape = 'bronze' | 'silver' | 'gold' | 'diamond' | 'unknown' | 'platinum' | 'mythical' | 'crab'

const SHAPES: Readonly<Record<RarityLabel, Shape>> = {
  Bronze: 'bronze',
  Silver: 'silver',
  Gold: 'gold',
  Diamond: 'diamond',
  'Unknown/Other': 'unknown',
  Platinum: 'platinum',
  Mythical: 'mythical',
}

/** One drawing for each rarity, and one for what has none: crabs. */
export function shapeOf(rarity: RarityLabel | undefined): Shape {
  return rarity === undefined ? 'crab' : (SHAPES[rarity] ?? 'unknown')
}

function Drawn({ shape, children }: { readonly shape: Shape; readonly children: ComponentChildren }) {
  return (
    <symbol id={`drawing-${shape}`} viewBox="0 0 64 40">
      {children}
    </symbol>
  )
}

const Eye = ({ x, y }: { readonly x: number; readonly y: number }) => <circle class="eye" cx={x} cy={y} r="1.9" />

/** The drawings themselves, once in a page; {@link Drawing} shows one. */
export function Drawings() {
  return (
    <svg class="hidden-drawings" aria-hidden="true" focusable="false">
      <Drawn shape="bronze">
        <path d="M46 20 59 12c-3 5-3 11 0 16z" opacity=".7" />
        <path d="M28 12c3-4 8-5 12-4l-3 6z" opacity=".7" />
        <path d="M5 21c6-9 16-12 25-11 8 1 14 5 19 10-5 6-11 9-19 10C21 31 11 28 5 21z" />
        <Eye x={14} y={18} />
      </Drawn>
      <Drawn shape="silver">
        <path d="M47 20 61 9c-2 6-4 8-5 11 1 3 3 6 5 11z" opacity=".7" />
        <path d="M27 14l9-7 2 8zM30 26l5 6 3-7z" opacity=".7" />
        <path d="M3 20c10-6 20-8 30-7 7 1 13 3 18 7-5 4-11 6-18 7-10 1-20-1-30-7z" />
        <path class="line" d="M19 16c2 3 2 6 0 9M27 15c2 3 2 7 0 10M35 16c1 3 1 6 0 9" />
        <Eye x={11} y={18.5} />
      </Drawn>
      <Drawn shape="gold">
        <path d="M38 20C44 9 52 4 61 5c-4 5-5 9-6 15 1 6 3 11 6 15-9 0-17-4-23-15z" opacity=".7" />
        <path d="M18 9C22 2 32 2 37 9l-8 4zM20 31c2 5 8 7 13 4l-4-6z" opacity=".7" />
        <path d="M5 21C6 12 14 7 24 7c9 0 16 5 19 13-3 9-10 14-19 14C14 34 7 29 5 21z" />
        <path class="line" d="M18 13c4 4 4 11 0 15" />
        <Eye x={12.5} y={18} />
      </Drawn>
      <Drawn shape="diamond">
        <path d="M45 20 60 7l-4 13 4 13z" opacity=".7" />
        <path d="M4 20 18 8h18l13 12-13 12H18z" />
        <path class="line" d="M18 8l7 12-7 12M36 8L25 20l11 12M25 20h24" />
        <Eye x={15} y={18} />
      </Drawn>
      <Drawn shape="unknown">
        <path
          class="outline"
          d="M5 21c6-9 16-12 25-11 7 1 12 4 17 8l12-8c-3 6-3 14 0 20l-12-8c-5 4-10 7-17 8C21 31 11 28 5 21z"
        />
        <path class="outline solid" d="M22 17.5a4.5 4.5 0 1 1 6.3 4.1c-1.6.8-1.8 1.6-1.8 2.6M26.5 27v.5" />
      </Drawn>
      <Drawn shape="platinum">
        <path d="M23 15C24 5 33 2 45 15z" opacity=".7" />
        <path d="M47 21 60 8c-3 8-3 18 0 26z" opacity=".7" />
        <path d="M27 27l3 8 6-7z" opacity=".7" />
        <path d="M1 22l20-6c9-4 20-2 29 5-9 8-20 10-29 5z" />
        <Eye x={22} y={19.5} />
      </Drawn>
      <Drawn shape="mythical">
        <path d="M13 14l2-10 6 7 3-9 5 9 5-7 2 9z" opacity=".7" />
        <path d="M44 22C46 12 52 5 62 3c-3 6-2 10-4 16 2 5 5 9 4 16-8 0-14-5-18-13z" opacity=".7" />
        <path d="M4 22C8 13 17 9 27 10c9 1 15 6 20 12-5 8-13 11-21 11C17 33 9 29 4 22z" />
        <path class="line" d="M20 15c3 4 3 10 0 14M28 14c3 5 3 12 0 16M36 17c2 4 2 8 0 11" />
        <path class="feeler" d="M6 25c-3 2-4 6-2 10M10 28c-2 3-1 7 2 9" />
        <Eye x={12.5} y={19} />
      </Drawn>
      <Drawn shape="crab">
        <path class="feeler" d="M20 26l-9 3-4 6M22 29l-7 4-2 5M44 26l9 3 4 6M42 29l7 4 2 5M21 20l-7-4M43 20l7-4" />
        <path d="M15 17C8 17 4 12 6 5l5 5 2-6c5 3 6 9 2 13zM49 17c7 0 11-5 9-12l-5 5-2-6c-5 3-6 9-2 13z" opacity=".7" />
        <path d="M16 23c0-7 7-11 16-11s16 4 16 11c0 6-7 10-16 10s-16-4-16-10z" />
        <path class="feeler" d="M27 13V8M37 13V8" />
        <circle cx="27" cy="7.5" r="2.6" />
        <circle cx="37" cy="7.5" r="2.6" />
        <path class="line" d="M26 26c4 3 8 3 12 0" />
      </Drawn>
    </svg>
  )
}

/** Decorates a text that says the same. */
export function Drawing({ shape }: { readonly shape: Shape }) {
  return (
    <svg class={`drawing ${shape}`} viewBox="0 0 64 40" aria-hidden="true" focusable="false">
      <use href={`#drawing-${shape}`} />
    </svg>
  )
}
