import type { ReactNode } from 'react'

import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { CopyButton } from './copy-button.tsx'

export function HashLink({
  kind,
  value,
  isCopyable = false,
}: {
  readonly kind: 'tx' | 'address'
  readonly value: string
  readonly isCopyable?: boolean
}): ReactNode {
  const explorerUrl = useWebApp()?.chain.explorerUrl
  const short = `${value.slice(0, 8)}…${value.slice(-6)}`
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {explorerUrl ? (
        <a
          href={`${explorerUrl}/${kind}/${value}`}
          target="_blank"
          rel="noopener noreferrer"
          title={value}
          className="py-0.5 font-mono text-accent text-sm underline underline-offset-4"
        >
          {short}
          <span className="sr-only"> {text('app.new-tab')}</span>
        </a>
      ) : (
        <code title={value} className="text-sm">
          {short}
        </code>
      )}
      {isCopyable ? <CopyButton value={value} /> : null}
    </span>
  )
}
