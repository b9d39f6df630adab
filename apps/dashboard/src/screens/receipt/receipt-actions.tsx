import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { useRole } from '../../session/use-role.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { isCancellable, isEditable, isRefundable, isSettled, type Receipt } from './receipt.ts'
import { StatusDialog } from './status-dialog.tsx'

const EditDialog = lazy(async () => ({ default: (await import('./edit-dialog.tsx')).EditDialog }))

type Asked = 'edit' | 'cancel' | 'checkout_success' | 'refund_requested'

export function ReceiptActions({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { isManager } = useRole()
  const [asked, setAsked] = useState<Asked>()
  const { status, paymentUrl, receiptUrl, cancelledAt, payment } = receipt
  const isPaid = isSettled(receipt)
  const close = () => setAsked(undefined)
  const isQuestioned = payment.state === 'orphaned' || payment.delivery !== null
  const canMarkPaid = !isPaid || isQuestioned || status === 'refund_requested'
  const canRequestRefund = status === 'paid' || status === 'reconciled'
  return (
    <div className="flex flex-wrap items-center gap-3">
      {!isPaid && cancelledAt === null ? (
        <CopyButton isMain value={paymentUrl} label={text('receipt.copy-link')} />
      ) : null}
      {isPaid ? (
        <a
          href={receiptUrl}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex min-h-11 items-center rounded-xl border border-line bg-card px-4 py-2 font-semibold hover:bg-soft"
        >
          {text('receipt.print')}
        </a>
      ) : null}
      {isManager && isRefundable(receipt) ? (
        <Link
          to="/refunds/new"
          search={{ receiptId: receipt.receiptId }}
          className="inline-flex min-h-11 items-center rounded-xl border border-line bg-card px-4 py-2 font-semibold hover:bg-soft"
        >
          {text('receipt.refund')}
        </Link>
      ) : null}
      {isManager ? (
        <Menu label={text('receipt.actions')}>
          <MenuItem onSelect={() => window.open(paymentUrl, '_blank', 'noopener')}>
            {text('receipt.open-checkout')}
          </MenuItem>
          {isEditable(receipt) ? (
            <MenuItem onSelect={() => setAsked('edit')}>{text('receipt.edit')}</MenuItem>
          ) : null}
          {canMarkPaid ? (
            <MenuItem onSelect={() => setAsked('checkout_success')}>
              {text(status === 'refund_requested' ? 'receipt.withdraw' : 'receipt.mark-paid')}
            </MenuItem>
          ) : null}
          {canRequestRefund ? (
            <MenuItem onSelect={() => setAsked('refund_requested')}>{text('receipt.mark-refund')}</MenuItem>
          ) : null}
          {isCancellable(receipt) ? (
            <MenuItem isDangerous onSelect={() => setAsked('cancel')}>
              {text('receipt.cancel')}
            </MenuItem>
          ) : null}
        </Menu>
      ) : null}
      {asked === 'edit' ? (
        <Suspense>
          <EditDialog receipt={receipt} onClose={close} />
        </Suspense>
      ) : null}
      {asked === 'cancel' ? <CancelDialog receiptId={receipt.receiptId} onClose={close} /> : null}
      {asked === 'checkout_success' || asked === 'refund_requested' ? (
        <StatusDialog receipt={receipt} status={asked} onClose={close} />
      ) : null}
    </div>
  )
}
