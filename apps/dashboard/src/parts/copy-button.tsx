import { type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'

const shownMs = 2_000

/** Copies a value and says so, also to a screen reader. */
export function CopyButton({ value, label }: { readonly value: string; readonly label?: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className="min-h-8 rounded-lg border border-line bg-soft px-3 py-1 text-sm font-semibold text-accent"
    >
      <span aria-live="polite">{isCopied ? text('app.copied') : (label ?? text('app.copy'))}</span>
    </button>
  )
}
