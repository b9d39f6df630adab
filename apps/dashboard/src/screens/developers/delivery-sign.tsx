import type { ReactNode } from 'react'
import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'

type Body = operations['getWebhooksDeliveries']['responses'][200]['content']['application/json']

export type Delivery = Body['deliveries'][number]

const tones = {
  pending: ['wait', '◔'],
  delivered: ['good', '✓'],
  superseded: ['plain', '↷'],
  exhausted: ['bad', '✕'],
} as const

export function DeliveryIcon({ state }: { readonly state: Delivery['state'] }): ReactNode {
  const [tone, sign] = tones[state]
  return (
    <Badge tone={tone} sign={sign}>
      {text(`developers.state.${state}`)}
    </Badge>
  )
}

export function AttemptIcon({
  attempt,
}: {
  readonly attempt: Delivery['attempts'][number] | undefined
}): ReactNode {
  if (!attempt) return <span className="text-dim">{text('developers.attempt.none')}</span>
  const isGood = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  return (
    <Badge tone={isGood ? 'good' : 'bad'} sign={isGood ? '✓' : '✕'}>
      {attempt.status === null ? errorText(attempt.error) : `HTTP ${attempt.status}`}
    </Badge>
  )
}

function errorText(error: string | null): string {
  switch (error) {
    case 'timeout':
      return text('developers.fault.timeout')
    case 'refused-target':
      return text('developers.fault.refused-target')
    case 'no-key':
      return text('developers.fault.no-key')
    default:
      return text('developers.fault.network')
  }
}
