import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { onceWritten } from '../../api/once-written.ts'
import { otherIssues } from '../../api/other-issues.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Fact } from '../../parts/card.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { HashLink } from '../../parts/hash-link.tsx'
import { refundState } from '../../parts/refund-state.ts'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { useRole } from '../../session/use-role.ts'
import { AmountOf } from './amount-of.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { ClaimList } from './claim-list.tsx'
import { KeepDialog } from './keep-dialog.tsx'
import { ReturnDialog } from './return-dialog.tsx'
import { claimsOf, isReturning, type Unmatched } from './unmatched.ts'
import { useDecision } from './use-decision.ts'

export function UnmatchedCard({ payment }: { readonly payment: Unmatched }): ReactNode {
  const { isManager } = useRole()
  const [asked, setAsked] = useState<'apply' | 'refund' | 'keep'>()
  const { state, reason, receiptId, suggestedReceiptId, payer, transactionHash, blockNumber, timestamp } =
    payment
  const isUndecided = (state === 'open' || state === 'kept') && !isReturning(payment)
  const close = () => setAsked(undefined)
  const known = text(`unmatched.reason.${reason}` as TextKey)
  return (
    <article className="rounded-2xl border border-line bg-card p-5 md:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="font-bold text-xl tabular-nums">
          <AmountOf payment={payment} />
        </h2>
        <p className="flex flex-wrap items-baseline gap-x-4 text-dim text-sm">
          <span className="font-medium">{text(`unmatched.state.${state}` as TextKey)}</span>
          <When at={timestamp} />
        </p>
      </div>
      <p className="mt-1">{known.startsWith('unmatched.') ? reason : known}</p>
      <dl className="mt-2 grid gap-x-10 text-sm md:grid-cols-2">
        <Fact term={text('unmatched.from')}>
          {payer ? <HashLink kind="address" value={payer} isCopyable /> : text('unmatched.unknown')}
        </Fact>
        <Fact term={text('unmatched.transaction')}>
          {transactionHash ? (
            <HashLink kind="tx" value={transactionHash} isCopyable />
          ) : (
            text('unmatched.unknown')
          )}
        </Fact>
        <Fact term={text('unmatched.block')}>{String(blockNumber)}</Fact>
        {receiptId ? (
          <Fact term={text('unmatched.meant-for')}>
            <ReceiptLink receiptId={receiptId} />
          </Fact>
        ) : null}
      </dl>
      <ClaimList claims={claimsOf(payment)} />
      <Decision payment={payment} />
      {isManager && isUndecided ? (
        <div className="mt-4 flex flex-wrap gap-3 border-line border-t pt-4">
          {suggestedReceiptId ? <ApplySuggested payment={payment} receiptId={suggestedReceiptId} /> : null}
          {reason === 'unlisted-token' ? null : (
            <Button onClick={() => setAsked('apply')}>{text('unmatched.apply')}</Button>
          )}
          <Button onClick={() => setAsked('refund')}>{text('unmatched.refund')}</Button>
          {state === 'open' ? (
            <Button onClick={() => setAsked('keep')}>{text('unmatched.keep')}</Button>
          ) : null}
        </div>
      ) : null}
      {asked === 'apply' ? <ApplyDialog payment={payment} onClose={close} /> : null}
      {asked === 'refund' ? <ReturnDialog payment={payment} onClose={close} /> : null}
      {asked === 'keep' ? <KeepDialog payment={payment} onClose={close} /> : null}
    </article>
  )
}

function ApplySuggested({
  payment,
  receiptId,
}: {
  readonly payment: Unmatched
  readonly receiptId: string
}): ReactNode {
  const say = useToast()
  const decide = useDecision(payment)
  const apply = () =>
    onceWritten(decide.mutateAsync({ action: 'apply', receiptId }), () => say(text('unmatched.apply.done')))
  return (
    <>
      <Button look="main" disabled={decide.isPending} onClick={apply}>
        {text('unmatched.apply-to', { receiptId })}
      </Button>
      <FormProblem error={decide.error} others={otherIssues(decide.error)} />
    </>
  )
}

function ReceiptLink({ receiptId }: { readonly receiptId: string }): ReactNode {
  return (
    <Link
      to="/receipts/$receiptId"
      params={{ receiptId }}
      className="text-accent underline underline-offset-4"
    >
      <bdi>{receiptId}</bdi>
    </Link>
  )
}

function Decision({ payment: { decision, refund } }: { readonly payment: Unmatched }): ReactNode {
  if (!decision) return null
  const returned = refund && refundState(refund)
  return (
    <div className="mt-3 grid gap-1 rounded-xl bg-soft p-4 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {text('unmatched.decided')} <When at={decision.at} /> <HashLink kind="address" value={decision.by} />
      </p>
      {decision.appliedTo ? (
        <p>
          {text('unmatched.applied-to')} <ReceiptLink receiptId={decision.appliedTo} />
        </p>
      ) : null}
      {refund && returned ? (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {text('unmatched.refund.hash')}: <span className={returned.look}>{text(returned.key)}</span>
          {refund.txHash ? <HashLink kind="tx" value={refund.txHash} isCopyable /> : null}
        </p>
      ) : null}
      {decision.note ? (
        <p className="[overflow-wrap:anywhere]">
          <bdi>{decision.note}</bdi>
        </p>
      ) : null}
    </div>
  )
}
