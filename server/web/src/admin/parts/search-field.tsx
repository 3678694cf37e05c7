import { useEffect, useRef } from 'preact/hooks'
import { Field } from './form.tsx'

/** Delay between the last keystroke and the search. An administrator has 300 requests in five minutes. */
const PAUSE_MS = 250

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly maxLength: number
  readonly onSearch: (text: string) => void
}

/** A field that searches while the user types. */
export function SearchField({ label, value, maxLength, onSearch }: SearchFieldProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const field = useRef<HTMLDivElement>(null)
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => {
    const input = field.current?.querySelector('input')
    if (input && input !== document.activeElement) input.value = value
  }, [value])
  return (
    <div ref={field} class="search-field">
      <Field
        name="search"
        label={label}
        type="search"
        value={value}
        maxLength={maxLength}
        onInput={(text) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => search.current(text.trim()), PAUSE_MS)
        }}
      />
    </div>
  )
}
