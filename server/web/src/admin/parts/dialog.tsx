import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  /** Called on Escape, unless a form in the dialog is being sent. If it is absent, only buttons close the dialog. */
  readonly onEscape?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** A modal dialog. The browser moves the focus into the dialog, keeps it there, and restores it afterwards. */
export function Dialog({ title, onEscape, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = useRef(false)
  const id = useId()
  // A closed dialog could not report that its form failed.
  const canClose = () => onEscape !== undefined && !dialog.current?.querySelector('form[aria-busy="true"]')
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    isShown.current = true
    return () => {
      isShown.current = false
      element?.close()
      // The button that opened the dialog may have been removed.
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
        // Browsers let a second Escape close any dialog.
        if (isShown.current && !canClose()) dialog.current?.showModal()
        else if (isShown.current) onEscape?.()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
