import type { ReactNode } from 'react'
import { issueLines } from '../../api/issue-of.ts'
import type { operations } from '../../api/schema.d.ts'
import { percent } from '../../format/percent.ts'
import { dateTime } from '../../format/time.ts'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useWebApp } from '../../service/use-web-app.ts'
import { useSession } from '../../session/session-context.ts'

export type PreviewResponse =
  operations['postSplitVersionsPreview']['responses'][200]['content']['application/json']

type TokenPreview = PreviewResponse['preview']['tokens'][number]

export function Preview({
  response,
  error,
  isBusy,
  onClose,
  onSave,
}: {
  readonly response: PreviewResponse
  readonly error: unknown
  readonly isBusy: boolean
  onClose(): void
  onSave(): void
}): ReactNode {
  const isOwner = useSession().session?.role === 'owner'
  const { preview, probes } = response
  const warnings = probes.filter(({ warning }) => warning !== null)
  return (
    <Dialog isOpen onClose={onClose} title={text('split.preview')} note={text('split.preview.note')}>
      {warnings.map(({ address, warning }) => (
        <p key={address} className="rounded-xl bg-wait-soft p-4 text-wait [overflow-wrap:anywhere]">
          <code className="text-sm">{address}</code>: {warning}
        </p>
      ))}
      <Shares shares={preview.shares} />
      <h3 className="font-semibold">
        {text('split.preview.money', { from: dateTime(preview.from), to: dateTime(preview.to) })}
      </h3>
      {preview.tokens.length === 0 ? <p className="text-dim">{text('split.preview.none')}</p> : null}
      {preview.tokens.map((token) => (
        <TokenTable key={token.currency} token={token} />
      ))}
      <FormProblem error={error} others={issueLines(error)} />
      {isOwner ? null : <p className="text-dim">{text('split.preview.owner')}</p>}
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onClose}>{text('split.preview.back')}</Button>
        {isOwner ? (
          <Button look="main" disabled={isBusy} onClick={onSave}>
            {text('split.schedule')}
          </Button>
        ) : null}
      </div>
    </Dialog>
  )
}

function Shares({ shares }: { readonly shares: PreviewResponse['preview']['shares'] }): ReactNode {
  return (
    <Table
      label={text('split.preview.shares')}
      head={
        <>
          <HeadCell>{text('split.column.recipient')}</HeadCell>
          <HeadCell className="text-end">{text('split.column.before')}</HeadCell>
          <HeadCell className="text-end">{text('split.column.after')}</HeadCell>
        </>
      }
    >
      {shares.map(({ address, beforeBps, afterBps }) => (
        <tr key={address}>
          <RowHead>
            <code className="text-sm [overflow-wrap:anywhere]">{address}</code>
          </RowHead>
          <Cell isAmount>{percent(beforeBps)}</Cell>
          <Cell isAmount className="font-semibold">
            {percent(afterBps)}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function TokenTable({ token }: { readonly token: TokenPreview }): ReactNode {
  const decimals = useWebApp()?.chain.tokens.find(({ symbol }) => symbol === token.currency)?.decimals
  const amount = (raw: string) =>
    decimals === undefined ? `${raw} ${token.currency}` : tokenAmount(BigInt(raw), decimals, token.currency)
  return (
    <Table
      label={token.currency}
      head={
        <>
          <HeadCell>
            {text('split.preview.token', { amount: amount(token.amountRaw), count: token.payments })}
          </HeadCell>
          <HeadCell className="text-end">{text('split.column.before')}</HeadCell>
          <HeadCell className="text-end">{text('split.column.after')}</HeadCell>
          <HeadCell className="text-end">{text('split.column.difference')}</HeadCell>
        </>
      }
    >
      {token.recipients.map((each) => (
        <tr key={each.address}>
          <RowHead>
            <code title={each.address}>{`${each.address.slice(0, 8)}…${each.address.slice(-6)}`}</code>
          </RowHead>
          <Cell isAmount>{amount(each.beforeRaw)}</Cell>
          <Cell isAmount>{amount(each.afterRaw)}</Cell>
          <Cell isAmount>
            {BigInt(each.differenceRaw) > 0n ? '+' : ''}
            {amount(each.differenceRaw)}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
