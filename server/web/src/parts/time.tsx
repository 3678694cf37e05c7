import { type Formats, useFormats } from './format.ts'

interface TimeProps {
  /** ISO 8601, or Unix milliseconds. */
  readonly at: number | string
  readonly format: keyof Formats
}

/** A time in the zone of the reader. A date has the whole time as its tooltip. */
export function Time({ at, format }: TimeProps) {
  const formats = useFormats()
  return (
    <time
      class={format}
      dateTime={new Date(at).toISOString()}
      title={format === 'date' ? formats.moment(at) : undefined}
    >
      {formats[format](at)}
    </time>
  )
}
