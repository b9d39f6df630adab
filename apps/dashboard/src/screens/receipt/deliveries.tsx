import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { problemText } from '../../parts/form-problem.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { useSession } from '../../session/session-context.ts'

type Delivery = components['schemas']['Delivery']

const most = 20
const looks: Readonly<Record<Delivery['state'], readonly [sign: string, look: string]>> = {
  delivered: ['✓', 'text-good'],
  pending: ['◔', 'text-wait'],
  superseded: ['⤳', 'text-dim'],
  exhausted: ['✕', 'text-bad'],
}

export function Deliveries({ receiptId }: { readonly receiptId: string }): ReactNode {
  const deliveries = useQuery({
    queryKey: ['deliveries', 'of', receiptId],
    queryFn: () =>
      contentOf(api.GET('/api/webhooks/deliveries', { params: { query: { receiptId, limit: most } } })),
  })
  return (
    <Card title={text('receipt.deliveries')}>
      <QueryView
        query={deliveries}
        loading={<Skeleton rows={2} />}
        isEmpty={({ deliveries: found }) => found.length === 0}
        empty={<p className="text-dim">{text('receipt.deliveries.none')}</p>}
      >
        {({ deliveries: found }) => (
          <ul>
            {found.map((delivery) => (
              <li key={delivery.id} className="border-line py-3 not-first:border-t">
                <DeliveryRow delivery={delivery} receiptId={receiptId} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function DeliveryRow({
  delivery,
  receiptId,
}: {
  readonly delivery: Delivery
  readonly receiptId: string
}): ReactNode {
  const { id, event, state, url, attempts, attemptCount, nextAttemptAt } = delivery
  const { session } = useSession()
  const say = useToast()
  const resend = useWrite(
    () => contentOf(api.POST('/api/webhooks/deliveries/{id}/redeliver', { params: { path: { id } } })),
    [['deliveries'], ['receipts', 'one', receiptId]],
  )
  const [sign, look] = looks[state]
  const last = attempts.toSorted((a, b) => b.startedAt - a.startedAt)[0]
  const canResend = ['owner', 'admin', 'developer'].includes(session?.role ?? '')
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="grid min-w-0 gap-0.5">
        <p className="flex flex-wrap gap-x-3">
          <code className="font-medium">{event}</code>
          <span className={look}>
            <span aria-hidden="true">{sign}</span> {text(`receipt.delivery.${state}` as TextKey)}
          </span>
        </p>
        <p className="text-dim text-sm [overflow-wrap:anywhere]">{url}</p>
        {last ? (
          <p className="text-dim text-sm">
            {last.status === null
              ? text('receipt.delivery.no-answer', { count: attemptCount, error: last.error ?? '' })
              : text('receipt.delivery.answered', { count: attemptCount, code: String(last.status) })}{' '}
            <When at={last.startedAt} />
          </p>
        ) : null}
        {nextAttemptAt === null ? null : (
          <p className="text-dim text-sm">
            {text('receipt.delivery.next')} <When at={nextAttemptAt} />
          </p>
        )}
      </div>
      {canResend ? (
        <Button
          disabled={resend.isPending}
          onClick={() =>
            resend.mutate(undefined, {
              onSuccess: () => say(text('receipt.delivery.resent')),
              onError: (error) => say(problemText(error)),
            })
          }
        >
          {text('receipt.delivery.resend')}
        </Button>
      ) : null}
    </div>
  )
}
