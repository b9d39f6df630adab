import type { ReactNode } from 'react'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { HashLink } from '../../parts/hash-link.tsx'
import type { TimelineEntry } from './receipt.ts'

const bad = new Set([
  'payment_orphaned',
  'loss_accepted',
  'cancelled',
  'delivery_overdue',
  'provider_reversed',
])
const good = new Set(['payment_credited', 'payment_restored', 'distributed', 'payment_applied'])

export function toneOf({ kind, detail, toStatus }: TimelineEntry): string {
  if (kind === 'webhook_attempt') return isDelivered(detail.status) ? 'bg-good' : 'bg-bad'
  if (bad.has(kind) || toStatus === 'failed') return 'bg-bad'
  if (good.has(kind) || toStatus === 'paid' || toStatus === 'reconciled') return 'bg-good'
  return 'bg-dim'
}

export function TimelineText({ entry }: { readonly entry: TimelineEntry }): ReactNode {
  const { kind, detail, toStatus } = entry
  const hash = textOf(detail.transactionHash)
  const why = textOf(detail.why) ?? textOf(detail.error)
  const by = textOf(detail.by)
  return (
    <>
      <p className="font-medium">
        {kind === 'webhook_attempt' ? attemptTitle(detail) : title(kind, toStatus)}
      </p>
      {why && kind !== 'webhook_attempt' ? (
        <p className="text-sm [overflow-wrap:anywhere]">
          <bdi>{why}</bdi>
        </p>
      ) : null}
      {by?.startsWith('0x') ? (
        <p className="text-sm">
          {text('receipt.event.by')} <HashLink kind="address" value={by} />
        </p>
      ) : null}
      {hash?.startsWith('0x') ? (
        <p className="text-sm">
          <HashLink kind="tx" value={hash} />
        </p>
      ) : null}
    </>
  )
}

function title(kind: string, toStatus: string | null): string {
  if (kind === 'status' && toStatus !== null)
    return text('receipt.event.status', { status: text(`status.${toStatus}` as TextKey) })
  const key = `receipt.event.${kind}` as TextKey
  const known = text(key)
  return known === key ? kind : known
}

function attemptTitle(detail: TimelineEntry['detail']): string {
  const { attempt, status, error } = detail as Record<string, unknown>
  const number = Number(attempt)
  if (typeof status === 'number') return text('receipt.event.webhook.code', { number, code: String(status) })
  return text('receipt.event.webhook.none', { number, error: textOf(error) ?? '' })
}

function isDelivered(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status < 300
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
