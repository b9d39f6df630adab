import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { onceWritten } from '../../api/once-written.ts'
import type { components } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import { moneyOf } from '../../format/cents.ts'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Fact } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { findToken } from '../../service/find-token.ts'
import { useWebApp } from '../../service/use-web-app.ts'
import { PayButtons } from '../../wallet/pay-buttons.tsx'
import { dropKeptRefund, keepRefund, type RefundRequest, type RefundWay } from './kept-refund.ts'
import { unitsFor } from './refundable.ts'

/** Asks the user to confirm an irreversible refund, pays it with the wallet and records the hash. */
export function RefundDialog({
  receipt,
  request,
  way,
  cents,
  onClose,
  onDone,
}: {
  readonly receipt: components['schemas']['ReceiptDetail']
  readonly request: RefundRequest
  readonly way: RefundWay
  readonly cents: bigint
  onClose(): void
  onDone(request: RefundRequest): void
}): ReactNode {
  const webApp = useWebApp()
  const token = findToken(webApp, receipt.payment.token)
  const units = unitsFor(receipt, cents)
  const [sent, setSent] = useState<RefundRequest>()
  const record = useWrite(
    (body: RefundRequest) => contentOf(api.POST('/api/receipts/refund', { body })),
    [['receipts']],
  )
  const save = (body: RefundRequest) =>
    onceWritten(record.mutateAsync(body), () => {
      dropKeptRefund(body)
      onDone(body)
    })
  const onPaid = (txHash: string) => {
    const paid = { ...request, txHash }
    keepRefund(paid)
    setSent(paid)
    save(paid)
  }
  return (
    <Dialog isOpen onClose={onClose} title={text('refunds.confirm.title')}>
      <dl>
        <Fact term={text('refunds.amount')}>{moneyOf(cents, 'USD')}</Fact>
        {way === 'wallet' && token && units !== undefined ? (
          <Fact term={text('refunds.confirm.sends')}>{tokenAmount(units, token.decimals, token.symbol)}</Fact>
        ) : null}
        {way === 'wallet' ? <Fact term={text('refunds.confirm.network')}>{webApp?.chain.name}</Fact> : null}
        <Fact term={text('refunds.buyer')}>
          <code className="text-sm">{request.buyer}</code>
        </Fact>
        {request.txHash ? (
          <Fact term={text('refunds.hash')}>
            <code className="text-sm">{request.txHash}</code>
          </Fact>
        ) : null}
      </dl>
      <p className="rounded-xl bg-wait-soft p-4 text-wait">
        {text(way === 'wallet' ? 'refunds.confirm.final' : 'refunds.confirm.recorded')}
      </p>
      {sent ? (
        <div role="status" className="grid gap-2">
          <p>{text('refunds.sent')}</p>
          <code className="text-sm [overflow-wrap:anywhere]">{sent.txHash}</code>
        </div>
      ) : null}
      <FormProblem error={record.error} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onClose}>{text('app.cancel')}</Button>
        {way === 'wallet' && !sent ? (
          token && units !== undefined && webApp ? (
            <PayButtons chain={webApp.chain} payment={{ token, units, to: request.buyer }} onPaid={onPaid} />
          ) : null
        ) : (
          <Button look="main" disabled={record.isPending} onClick={() => save(sent ?? request)}>
            {text('refunds.record')}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
