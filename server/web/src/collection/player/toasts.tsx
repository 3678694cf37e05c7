import { useEffect, useState } from 'preact/hooks'
import type { Fresh } from '../../data/profile.ts'
import { rankOf } from '../../data/summary.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { isPlainClick } from '../../parts/plain-click.ts'
import { toastTexts } from '../../texts/toasts.ts'
import './toasts.css'

/** How long a toast is shown, in milliseconds. */
export const TOAST_MS = 6000

export interface ToastState {
  /** The number of earlier toasts. */
  readonly count: number
  /** The catches of the current toast: those of one update, or of all updates during the toast before. */
  readonly shown: readonly Fresh[]
  readonly waiting: readonly Fresh[]
}

export const NO_TOASTS: ToastState = { count: 0, shown: [], waiting: [] }

/** Adds the catches of an update. They wait for the end of the current toast, which may be hovered or focused. */
export function withCaught(state: ToastState, fresh: readonly Fresh[]): ToastState {
  return state.shown.length > 0 ? { ...state, waiting: [...state.waiting, ...fresh] } : { ...state, shown: fresh }
}

/** Ends the current toast and shows the waiting catches. */
export function withNext({ count, waiting }: ToastState): ToastState {
  return { count: count + 1, shown: waiting, waiting: [] }
}

/** Returns the rarest catch of a toast, how often it was caught, and the number of the other catches. */
export function summarize(fresh: readonly Fresh[]) {
  const [rarest] = [...fresh].sort((one, other) => rankOf(other) - rankOf(one))
  if (!rarest) return undefined
  const isSame = ({ kind, name, rarity }: Fresh) =>
    kind === rarest.kind && name === rarest.name && rarity === rarest.rarity
  const sum = (some: readonly Fresh[]) => some.reduce((total, { added }) => total + added, 0)
  const count = sum(fresh.filter(isSame))
  return { rarest, count, more: sum(fresh) - count }
}

export interface ToastsProps {
  /** The catches of the last update. */
  readonly fresh: readonly Fresh[]
  readonly pathOf: (caught: Fresh) => string
  readonly onOpen: (caught: Fresh) => void
}

/** Shows new catches in view for a few seconds, wherever the page is scrolled to. */
export function Toasts({ fresh, pathOf, onOpen }: ToastsProps) {
  const [{ count, shown }, setState] = useState(NO_TOASTS)
  useEffect(() => {
    if (fresh.length > 0) setState((before) => withCaught(before, fresh))
  }, [fresh])
  if (shown.length === 0) return null
  return <Toast key={count} caught={shown} pathOf={pathOf} onOpen={onOpen} onEnd={() => setState(withNext)} />
}

interface ToastProps extends Pick<ToastsProps, 'pathOf' | 'onOpen'> {
  readonly caught: readonly Fresh[]
  readonly onEnd: () => void
}

function Toast({ caught, pathOf, onOpen, onEnd }: ToastProps) {
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isHovered || isFocused
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(onEnd, TOAST_MS)
    return () => clearTimeout(timer)
  }, [isHeld])
  const summary = summarize(caught)
  if (!summary) return null
  const { rarest, count, more } = summary
  const { kind, name, rarity } = rarest
  return (
    <a
      class={`toast ${tintOf(rarity)}`}
      href={pathOf(rarest)}
      onPointerEnter={({ pointerType }) => setHovered(pointerType === 'mouse')}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={(event) => {
        if (!isPlainClick(event)) return
        event.preventDefault()
        onEnd()
        onOpen(rarest)
      }}
    >
      <Creature kind={kind} name={name} rarity={rarity} />
      <span class="toast-text">
        <span class="visually-hidden">{toastTexts.caught} </span>
        <strong>{name}</strong>
        {rarity !== undefined && <span class="toast-rarity"> {toastTexts.rarity(rarity)}</span>}
        {count > 1 && ` ${toastTexts.times(count)}`}
        {more > 0 && ` ${toastTexts.more(more)}`}
      </span>
    </a>
  )
}
