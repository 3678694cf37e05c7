import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  /** When somebody presses Escape, unless a form in it is being sent; absent where only its buttons close it. */
  readonly onEscape?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** A modal dialog. The browser moves the focus into it, keeps it there, and brings it back behind it. */
export function Dialog({ title, onEscape, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = useRef(false)
  const id = useId()
  // Closed while a form is being sent, it could not say that it failed.
  const canClose = () => onEscape !== undefined && !dialog.current?.querySelector('form[aria-busy="true"]')
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    isShown.current = true
    return () => {
      isShown.current = false
      element?.close()
      // What had opened it may be gone.
      const { activeElement } = document
      if (activeElement === document.body || element?.contains(activeElement)) document.querySelector('h1')?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      closedby={onEscape === undefined ? 'none' : 'closerequest'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (canClose()) onEscape?.()
      }}
      onClose={() => {
        // A second Escape may close any dialog, whatever became of the first.
        if (isShown.current && !canClose()) dialog.current?.showModal()
        else if (isShown.current) onEscape?.()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
