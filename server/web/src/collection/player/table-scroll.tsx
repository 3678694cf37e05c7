import type { ComponentChildren } from 'preact'

interface TableScrollProps {
  readonly label: string
  readonly isPanel?: boolean
  readonly children: ComponentChildren
}

/** A table that may be larger than its place. */
export function TableScroll({ label, isPanel = false, children }: TableScrollProps) {
  return (
    <section
      class={isPanel ? 'table-scroll panel' : 'table-scroll'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll there
      tabIndex={0}
    >
      {children}
    </section>
  )
}
