interface RingProps {
  readonly part: number
  /** At least 1. */
  readonly whole: number
}

/** A circle of circumference 100, so that dashes are percentages. */
const RADIUS = 50 / Math.PI

/** A ring that is closed as far as a figure in a text beside it. */
export function Ring({ part, whole }: RingProps) {
  const percent = Math.min(100, (100 * part) / whole)
  return (
    <svg class={part >= whole ? 'ring complete' : 'ring'} viewBox="0 0 40 40" aria-hidden="true" focusable="false">
      <circle class="ring-track" cx="20" cy="20" r={RADIUS} />
      {part > 0 && (
        <circle
          class="ring-part"
          cx="20"
          cy="20"
          r={RADIUS}
          stroke-dasharray={`${percent.toFixed(2)} 100`}
          transform="rotate(-90 20 20)"
        />
      )}
      {part >= whole && <path class="ring-check" d="m13 20.5 5 5 9-10" />}
    </svg>
  )
}
