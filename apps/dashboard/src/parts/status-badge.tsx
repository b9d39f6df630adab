import type { ReactNode } from 'react'
import type { TextKey } from '../messages/catalogue.ts'
import { text } from '../messages/messages.ts'

const tones: Readonly<Record<string, readonly [sign: string, look: string]>> = {
  generated: ['○', 'bg-soft text-dim'],
  pending: ['◔', 'bg-wait-soft text-wait'],
  'paid - ach pending': ['◔', 'bg-wait-soft text-wait'],
  paid: ['✓', 'bg-good-soft text-good'],
  reconciled: ['✓', 'bg-good-soft text-good'],
  failed: ['✕', 'bg-bad-soft text-bad'],
  cancelled: ['⊘', 'bg-soft text-dim'],
  confirming: ['◕', 'bg-wait-soft text-wait'],
  underpaid: ['◑', 'bg-wait-soft text-wait'],
  expired: ['◌', 'bg-soft text-dim'],
  stopped: ['⊘', 'bg-soft text-dim'],
  overpaid: ['+', 'bg-good-soft text-good'],
  reversed: ['!', 'bg-bad-soft text-bad'],
  refund_requested: ['↩', 'bg-wait-soft text-wait'],
  refunded: ['↩', 'bg-soft text-dim'],
}

export function StatusBadge({ status }: { readonly status: string }): ReactNode {
  const [sign, look] = tones[status] ?? ['○', 'bg-soft text-dim']
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-sm font-medium whitespace-nowrap ${look}`}
    >
      <span aria-hidden="true">{sign}</span>
      {text(`status.${status}` as TextKey)}
    </span>
  )
}
