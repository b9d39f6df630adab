import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { onceWritten } from '../../api/once-written.ts'
import { otherIssues } from '../../api/other-issues.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { AmountOf } from './amount-of.tsx'
import type { Unmatched } from './unmatched.ts'
import { useDecision } from './use-decision.ts'

const shown = 8

export function ApplyDialog({
  payment,
  onClose,
}: {
  readonly payment: Unmatched
  onClose(): void
}): ReactNode {
  const say = useToast()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState('')
  const decide = useDecision(payment)
  const q = typed.trim()
  const receipts = useQuery({
    queryKey: ['receipts', 'to-apply', q],
    queryFn: () =>
      contentOf(
        api.GET('/api/receipts', {
          params: { query: { limit: shown, ...(q ? { q } : { status: 'generated,pending,failed' }) } },
        }),
      ),
    placeholderData: (before) => before,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!chosen) return
    onceWritten(decide.mutateAsync({ action: 'apply', receiptId: chosen }), () => {
      say(text('unmatched.apply.done'))
      onClose()
    })
  }
  const rows = receipts.data?.receipts ?? []
  return (
    <Dialog isOpen onClose={onClose} title={text('unmatched.apply')} note={text('unmatched.apply.text')}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="font-semibold">
          <AmountOf payment={payment} />
        </p>
        <TextField
          type="search"
          label={text('unmatched.apply.search')}
          hint={text('unmatched.apply.hint')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <fieldset className="grid gap-1" aria-busy={receipts.isFetching}>
          <legend className="sr-only">{text('unmatched.apply.receipts')}</legend>
          {rows.map(({ receiptId, displayStatus, total, totalUsd, currency }) => (
            <label
              key={receiptId}
              className="flex min-h-12 cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-xl border border-line px-3 py-2 has-checked:border-accent has-checked:bg-soft"
            >
              <input
                type="radio"
                name="receipt"
                value={receiptId}
                checked={chosen === receiptId}
                onChange={() => setChosen(receiptId)}
                className="size-5 accent-accent"
              />
              <span className="min-w-0 grow font-medium [overflow-wrap:anywhere]">
                <bdi>{receiptId}</bdi>
              </span>
              <StatusBadge status={displayStatus} />
              <span className="tabular-nums">
                {total === undefined ? money(totalUsd) : money(total, currency)}
              </span>
            </label>
          ))}
          {receipts.data && rows.length === 0 ? (
            <p className="text-dim">{text('unmatched.apply.none')}</p>
          ) : null}
        </fieldset>
        <FormProblem error={decide.error} others={otherIssues(decide.error)} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={!chosen || decide.isPending}>
            {text('unmatched.apply.do')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
