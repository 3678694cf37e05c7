import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import type { ProblemOptions } from '../data/problems.ts'
import { ProblemText } from './problem-text.tsx'
import { useAdminTask } from './task.ts'

/** The typed values by field name. */
export type Values = Readonly<Record<string, string>>
type Mistakes = Readonly<Record<string, string | undefined>>

const MistakesContext = createContext<Mistakes>({})

interface FormProps extends Omit<ProblemOptions, 'now'> {
  /** The text of the button, which `busy` replaces while the form is being sent. */
  readonly submit: string
  readonly busy: string
  /** Whether the action destroys something. Then the button to cancel has the focus, unless a field takes it. */
  readonly isDangerous?: boolean
  /** Returns the mistakes by field name. */
  readonly check?: (values: Values) => Mistakes
  readonly onSubmit: (values: Values) => Promise<void>
  readonly onCancel?: (() => void) | undefined
  readonly children?: ComponentChildren
}

/**
 * A form that ignores further presses of its button while it is being sent, and keeps the typed values until the
 * request succeeds.
 */
export function Form({
  submit,
  busy,
  isDangerous,
  check,
  onSubmit,
  onCancel,
  ifUnknown,
  limited,
  children,
}: FormProps) {
  const { isBusy, problem, run, clearProblem } = useAdminTask({ ifUnknown, limited })
  const [mistakes, setMistakes] = useState<Mistakes>({})

  function send(event: SubmitEvent): void {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    // The value of a partly typed date is empty, so `check` cannot detect the mistake.
    const partial = [...form.querySelectorAll('input')].filter(({ validity }) => validity.badInput)
    const found: Mistakes = {
      ...check?.(values),
      ...Object.fromEntries(partial.map(({ name }) => [name, 'Complete the date, or clear it.'])),
    }
    setMistakes(found)
    const [first] = Object.keys(found).filter((name) => found[name] !== undefined)
    if (first === undefined) void run(() => onSubmit(values))
    else {
      clearProblem()
      ;(form.elements.namedItem(first) as HTMLElement | null)?.focus()
    }
  }

  return (
    <form class="form" onSubmit={send} noValidate aria-busy={isBusy}>
      <MistakesContext.Provider value={mistakes}>{children}</MistakesContext.Provider>
      {problem && <ProblemText problem={problem} />}
      <div class="form-buttons">
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {isBusy ? busy : submit}
        </button>
        {onCancel && (
          <button type="button" autofocus={isDangerous} onClick={onCancel} disabled={isBusy}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly type?: 'text' | 'password' | 'search' | 'date' | 'datetime-local'
  readonly autocomplete?: string
  readonly value?: string | undefined
  readonly readOnly?: boolean
  readonly maxLength?: number
  /** Whether the field takes the focus when its dialog opens. */
  readonly isFirst?: boolean
  readonly onInput?: (value: string) => void
}

/** A field of a {@link Form} with its label and its hint. A mistake replaces the hint. */
export function Field(props: FieldProps) {
  const { name, label, hint, type = 'text', autocomplete = 'off', value, isFirst, onInput, ...rest } = props
  const id = useId()
  const mistake = useContext(MistakesContext)[name]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type as 'text'}
        autocomplete={autocomplete}
        autocapitalize="off"
        spellcheck={false}
        autofocus={isFirst}
        // Later renders must not replace the typed value.
        defaultValue={value}
        aria-invalid={mistake !== undefined}
        aria-describedby={hint === undefined && mistake === undefined ? undefined : `${id}-description`}
        onInput={onInput && (({ currentTarget }) => onInput(currentTarget.value))}
        {...rest}
      />
      {hint !== undefined && mistake === undefined && (
        <p id={`${id}-description`} class="hint">
          {hint}
        </p>
      )}
      {mistake !== undefined && (
        <p id={`${id}-description`} class="mistake" role="alert">
          {mistake}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  readonly name?: string
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly hint?: string
  readonly onChange?: (value: Value) => void
}

/** A select with its label. */
export function Choice<Value extends string>({ name, label, value, options, hint, onChange }: ChoiceProps<Value>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={onChange && (({ currentTarget }) => onChange(currentTarget.value as Value))}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A field for a name that confirms a deletion. The form checks the field with {@link checkConfirmation}. */
export function Confirmation({ expected }: { readonly expected: string }) {
  return <Field name="confirmation" label={`Type ${expected} to confirm`} isFirst />
}

export function checkConfirmation(expected: string): (values: Values) => Mistakes {
  return ({ confirmation }) => ({
    confirmation: confirmation?.trim() === expected ? undefined : `This is not ${expected}. Nothing was deleted.`,
  })
}
