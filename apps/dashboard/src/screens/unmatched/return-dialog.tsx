import { type ReactNode, useState } from 'react'
import { onceWritten } from '../../api/once-written.ts'
import { otherIssues } from '../../api/other-issues.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Fact } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { findToken } from '../../service/find-token.ts'
import { useWebApp } from '../../service/use-web-app.ts'
import { PayButtons } from '../../wallet/pay-buttons.tsx'
import { AmountOf } from './amount-of.tsx'
import { keptHash } from './kept-hash.ts'
import { claimsOf, type Unmatched } from './unmatched.ts'
import { type Decision, useDecision } from './use-decision.ts'

const address = /^0x[0-9a-fA-F]{40}$/
const hash = /^0x[0-9a-fA-F]{64}$/

/** Sends the whole payment back with the wallet. The service verifies the transaction. */
export function ReturnDialog({
  payment,
  onClose,
}: {
  readonly payment: Unmatched
  onClose(): void
}): ReactNode {
  const webApp = useWebApp()
  const say = useToast()
  const claims = claimsOf(payment)
  const [claimId, setClaimId] = useState('')
  const [txHash, setHash] = useState(() => keptHash.read(payment.id))
  const [isWrong, setWrong] = useState(false)
  const decide = useDecision(payment)
  const token = findToken(webApp, payment.tokenAddress)
  const known = claims.find(({ id }) => id === claimId)?.refundAddress ?? payment.payer
  const [typed, setTyped] = useState('')
  const to = known ?? (address.test(typed.trim()) ? typed.trim() : '')
  const record = (sent: string) => {
    const isGood = hash.test(sent.trim())
    setWrong(!isGood)
    if (!isGood) return
    const body: Decision = { action: 'refund', txHash: sent.trim(), ...(claimId && { claimId }) }
    onceWritten(decide.mutateAsync(body), () => {
      keptHash.drop(payment.id)
      say(text('unmatched.refund.done'))
      onClose()
    })
  }
  const onPaid = (sent: string) => {
    keptHash.keep(payment.id, sent)
    setHash(sent)
    record(sent)
  }
  return (
    <Dialog isOpen onClose={onClose} title={text('unmatched.refund')} note={text('unmatched.refund.text')}>
      <dl>
        <Fact term={text('unmatched.refund.amount')}>
          <AmountOf payment={payment} />
        </Fact>
        <Fact term={text('unmatched.refund.network')}>{webApp?.chain.name}</Fact>
      </dl>
      <SelectField
        label={text('unmatched.refund.to')}
        value={claimId}
        onChange={(event) => setClaimId(event.target.value)}
        hint={
          <code className="[overflow-wrap:anywhere]">{known ?? text('unmatched.refund.payer-unknown')}</code>
        }
      >
        <option value="">{text('unmatched.refund.payer')}</option>
        {claims.map((claim, i) => (
          <option key={claim.id} value={claim.id}>
            {text(claim.isProven ? 'unmatched.refund.proven' : 'unmatched.refund.claim', { number: i + 1 })}
          </option>
        ))}
      </SelectField>
      {known ? null : (
        <TextField
          label={text('unmatched.refund.address')}
          placeholder="0x"
          spellCheck={false}
          value={typed}
          error={typed !== '' && to === '' ? text('unmatched.refund.bad-address') : undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('unmatched.refund.final')}</p>
      {token && to && webApp && txHash === '' ? (
        <div className="flex flex-wrap justify-end gap-3">
          <PayButtons
            chain={webApp.chain}
            payment={{ token, to, units: BigInt(payment.amountRaw) }}
            onPaid={onPaid}
          />
        </div>
      ) : null}
      <TextField
        label={text('unmatched.refund.hash')}
        placeholder="0x"
        spellCheck={false}
        value={txHash}
        error={isWrong ? text('unmatched.refund.bad-hash') : undefined}
        onChange={(event) => setHash(event.target.value)}
      />
      <FormProblem error={decide.error} others={otherIssues(decide.error)} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onClose}>{text('app.cancel')}</Button>
        <Button disabled={txHash === '' || decide.isPending} onClick={() => record(txHash)}>
          {text('unmatched.refund.record')}
        </Button>
      </div>
    </Dialog>
  )
}
