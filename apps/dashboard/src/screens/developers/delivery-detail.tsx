import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Button } from '../../parts/button.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { AttemptIcon, type Delivery, DeliveryIcon } from './delivery-sign.tsx'

type Detail = operations['getWebhooksDeliveriesById']['responses'][200]['content']['application/json']

const lookEveryMs = 1_000

export function DeliveryDetail(): ReactNode {
  const { deliveryId } = useParams({ from: '/developers/deliveries/$deliveryId' })
  const path = { id: deliveryId }
  const detail = useQuery({
    queryKey: ['deliveries', 'one', deliveryId],
    queryFn: () => contentOf(api.GET('/api/webhooks/deliveries/{id}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data?.delivery.state === 'pending' ? lookEveryMs : false),
  })
  const say = useToast()
  const resend = useWrite(
    () => contentOf(api.POST('/api/webhooks/deliveries/{id}/redeliver', { params: { path } })),
    [['deliveries']],
  )
  const send = () =>
    void resend.mutateAsync().then(
      () => say(text('developers.resent')),
      () => {},
    )
  return (
    <>
      <BackLink to="/developers/deliveries">{text('developers.deliveries.back')}</BackLink>
      <PageHeader title={text('developers.delivery')}>
        <Button look="main" disabled={resend.isPending} onClick={send}>
          {text('developers.resend')}
        </Button>
      </PageHeader>
      <div className="mb-4">
        <FormProblem error={resend.error} others={issueLines(resend.error)} />
      </div>
      <QueryView query={detail}>{(found) => <Content detail={found} />}</QueryView>
    </>
  )
}

function Content({ detail: { delivery, request } }: { readonly detail: Detail }): ReactNode {
  return (
    <div className="grid gap-6">
      <Card title={delivery.receiptId} action={<DeliveryIcon state={delivery.state} />}>
        <dl>
          <Fact term={text('developers.column.url')}>{delivery.url}</Fact>
          <Fact term={text('developers.idempotency')}>
            <span className="inline-flex flex-wrap items-center gap-3">
              <code className="text-sm">{delivery.idempotencyKey}</code>
              <CopyButton value={delivery.idempotencyKey} />
            </span>
          </Fact>
          <Fact term={text('developers.column.time')}>
            <When at={delivery.createdAt} />
          </Fact>
          {delivery.nextAttemptAt === null ? null : (
            <Fact term={text('developers.next')}>
              <When at={delivery.nextAttemptAt} />
            </Fact>
          )}
        </dl>
      </Card>
      <Attempts delivery={delivery} />
      <Section title={text('developers.request')} note={text('developers.request.note')}>
        {request === null ? (
          <p className="text-dim">{text('developers.request.none')}</p>
        ) : (
          <div className="grid gap-4">
            <CodeBlock label={text('developers.request.headers')} code={headersText(request.headers)} />
            <CodeBlock label={text('developers.request.body')} code={request.body} />
          </div>
        )}
      </Section>
    </div>
  )
}

function headersText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function Attempts({ delivery }: { readonly delivery: Delivery }): ReactNode {
  return (
    <Section title={text('developers.attempts')} note={text('developers.attempts.note')}>
      <Table
        label={text('developers.attempts')}
        head={
          <>
            <HeadCell>{text('developers.attempt')}</HeadCell>
            <HeadCell>{text('developers.column.answer')}</HeadCell>
            <HeadCell className="text-end">{text('developers.duration')}</HeadCell>
            <HeadCell>{text('developers.column.time')}</HeadCell>
            <HeadCell>X-Service-Delivery</HeadCell>
          </>
        }
      >
        {delivery.attempts.toReversed().map((attempt) => (
          <tr key={attempt.attempt}>
            <RowHead>{attempt.attempt}</RowHead>
            <Cell>
              <AttemptIcon attempt={attempt} />
            </Cell>
            <Cell isAmount>{text('developers.ms', { count: attempt.durationMs })}</Cell>
            <Cell className="whitespace-nowrap">
              <When at={attempt.startedAt} />
            </Cell>
            <Cell>
              <code className="text-sm">{attempt.deliveryId}</code>
            </Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
