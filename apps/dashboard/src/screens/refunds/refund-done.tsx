import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { HashLink } from '../../parts/hash-link.tsx'
import { refundState } from '../../parts/refund-state.ts'
import type { RefundRequest } from './kept-refund.ts'

const lookAgainMs = 3_000

export function RefundDone({ request }: { readonly request: RefundRequest }): ReactNode {
  const { receiptId: id, txHash, usd } = request
  const receipt = useQuery({
    queryKey: ['receipts', 'one', id],
    queryFn: () => contentOf(api.GET('/api/receipts/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (isOver(state.data?.refunds, txHash) ? false : lookAgainMs),
  })
  const refund = findRefund(receipt.data?.refunds, txHash)
  const { mark, error } = refund ?? { mark: null, error: null }
  const state = refundState({ txHash: txHash ?? null, mark, error })
  return (
    <Card title={text('refunds.done.title')} note={text('refunds.done.note')}>
      <div className="grid gap-4">
        <p className="font-bold text-3xl tabular-nums">{money(usd)}</p>
        <p role="status" className={`font-medium ${state.look}`}>
          <span aria-hidden="true">{state.sign}</span> {text(state.key)}
        </p>
        {error ? <p className="text-bad">{error}</p> : null}
        {txHash ? <HashLink kind="tx" value={txHash} isCopyable /> : null}
        <Link
          to="/receipts/$receiptId"
          params={{ receiptId: id }}
          className="w-fit py-1 text-accent underline underline-offset-4"
        >
          {text('refunds.open-receipt')}
        </Link>
      </div>
    </Card>
  )
}

type Known = {
  readonly txHash: string | null
  readonly mark: 'tx_mined' | 'recipient_validated' | 'tx_mismatch' | null
  readonly error: string | null
}

function findRefund<Each extends Known>(
  refunds: readonly Each[] | undefined,
  hash: string | undefined,
): Each | undefined {
  return refunds?.find(({ txHash }) => txHash?.toLowerCase() === hash?.toLowerCase())
}

function isOver(refunds: readonly Known[] | undefined, hash: string | undefined): boolean {
  if (hash === undefined) return true
  const mark = findRefund(refunds, hash)?.mark
  return mark === 'recipient_validated' || mark === 'tx_mismatch'
}
