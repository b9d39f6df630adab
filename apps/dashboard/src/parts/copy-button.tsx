import { type ReactNode, useState } from 'react'
import { text } from '../messages/messages.ts'

const shownMs = 2_000
const looks = {
  quiet: 'min-h-8 rounded-lg border-line bg-soft px-3 py-1 text-sm text-accent',
  main: 'min-h-11 rounded-xl border-accent bg-accent px-4 py-2 text-on-accent hover:brightness-110',
} as const

export function CopyButton({
  value,
  label,
  isMain = false,
}: {
  readonly value: string
  readonly label?: string
  readonly isMain?: boolean
}): ReactNode {
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
      className={`border font-semibold ${looks[isMain ? 'main' : 'quiet']}`}
    >
      <span aria-live="polite">{isCopied ? text('app.copied') : (label ?? text('app.copy'))}</span>
    </button>
  )
}
