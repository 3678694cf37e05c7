import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  /**
   * Called on Escape, unless a form in the dialog is being sent. Without this callback, only buttons close the dialog.
   */
  readonly onEscape?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** A modal dialog. The browser moves the focus into the dialog, keeps it there, and restores it afterwards. */
export function Dialog({ title, onEscape, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = useRef(false)
  const id = useId()
  // The dialog stays open while its form is being sent, so that the form can report a failure.
  const canClose = () => onEscape !== undefined && !dialog.current?.querySelector('form[aria-busy="true"]')
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    isShown.current = true
    return () => {
      isShown.current = false
      element?.close()
      // Focus the heading if the button that opened the dialog was removed.
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
        // Browsers close any dialog on a second Escape, so reopen a dialog that must stay open.
        if (isShown.current && !canClose()) dialog.current?.showModal()
        else if (isShown.current) onEscape?.()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
