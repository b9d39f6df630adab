import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'

export function NetworkIcon(): ReactNode {
  const chain = useWebApp()?.chain
  if (!chain) return <p className="h-8" />
  const isLive = chain.use === 'live'
  const look = isLive ? 'bg-good-soft text-good' : 'bg-wait-soft text-wait'
  return (
    <p
      className={`inline-flex min-h-8 items-center gap-2 rounded-full px-3 py-1 font-medium text-sm ${look}`}
    >
      <span aria-hidden="true">{isLive ? '●' : '▲'}</span>
      <span>
        {text(isLive ? 'app.live-network' : 'app.test-network')} · <bdi>{chain.name}</bdi>
      </span>
    </p>
  )
}
