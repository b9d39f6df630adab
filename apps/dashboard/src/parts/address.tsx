import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { explorerUrl } from '../service/explorer-url.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { CopyButton } from './copy-button.tsx'

export function Address({
  value,
  kind = 'address',
  hasCopy = true,
}: {
  readonly value: string
  readonly kind?: 'address' | 'tx'
  readonly hasCopy?: boolean
}): ReactNode {
  const url = explorerUrl(useWebApp(), kind, value)
  const code = <code className="text-sm [overflow-wrap:anywhere]">{value}</code>
  return (
    <span className="inline-flex min-w-0 max-w-full flex-wrap items-center gap-x-3 gap-y-1">
      {url ? (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="py-0.5 text-accent underline underline-offset-4"
        >
          {code}
          <span className="sr-only"> {text('app.explorer')}</span>
        </a>
      ) : (
        code
      )}
      {hasCopy ? <CopyButton value={value} /> : null}
    </span>
  )
}
