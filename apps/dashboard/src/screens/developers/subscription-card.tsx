import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import type { FreshKeys, Subscription } from './use-keys.ts'

type Slot = Subscription['keys'][number]['slot']

export function SubscriptionCard({
  subscription,
  onFresh,
}: {
  readonly subscription: Subscription
  onFresh(fresh: FreshKeys): void
}): ReactNode {
  const { name, scopes, keys, mode, createdAt, lastUsedAt, revokedAt } = subscription
  const [asked, setAsked] = useState<Slot | 'revoke'>()
  const close = () => setAsked(undefined)
  return (
    <Card
      title={name}
      note={
        <span className="flex flex-wrap gap-x-4">
          <span>
            {text('developers.key.created')} <When at={createdAt} />
          </span>
          <span>
            {text('developers.key.used')}{' '}
            {lastUsedAt === null ? text('developers.key.never') : <When at={lastUsedAt} />}
          </span>
        </span>
      }
      action={
        revokedAt === null ? (
          <Button look="danger" onClick={() => setAsked('revoke')}>
            {text('developers.key.revoke')}
          </Button>
        ) : (
          <Badge tone="bad" sign="✕">
            {text('developers.key.revoked')}
          </Badge>
        )
      }
    >
      <p className="flex flex-wrap gap-2">
        <Badge tone={mode === 'live' ? 'good' : 'wait'} sign={mode === 'live' ? '●' : '▲'}>
          {text(mode === 'live' ? 'developers.mode.live' : 'developers.mode.test')}
        </Badge>
        {scopes.map((scope) => (
          <code key={scope} className="rounded-lg bg-soft px-2 py-0.5 text-sm">
            {scope}
          </code>
        ))}
      </p>
      {keys.length > 0 ? (
        <ul className="mt-3 grid">
          {keys.map(({ id, slot, hint, createdAt: made }) => (
            <li
              key={id}
              className="flex flex-wrap items-center justify-between gap-3 border-line border-t py-2.5"
            >
              <span className="grid">
                <span className="text-dim text-sm">{text(`developers.slot.${slot}`)}</span>
                <code>{hint}</code>
              </span>
              <span className="flex flex-wrap items-center gap-4">
                <When at={made} className="text-dim text-sm" />
                <Button onClick={() => setAsked(slot)}>{text('developers.key.rotate')}</Button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {asked === 'revoke' ? <Revoke subscription={subscription} onClose={close} /> : null}
      {asked === 'primary' || asked === 'secondary' ? (
        <Rotate subscription={subscription} slot={asked} onClose={close} onFresh={onFresh} />
      ) : null}
    </Card>
  )
}

function Revoke({
  subscription: { id, name },
  onClose,
}: {
  readonly subscription: Subscription
  onClose(): void
}): ReactNode {
  const say = useToast()
  const revoke = useWrite(
    () => contentOf(api.DELETE('/api/subscriptions/{id}', { params: { path: { id } } })),
    [['subscriptions']],
  )
  const confirm = async () => {
    if (!(await revoke.mutateAsync().catch(() => undefined))) return
    onClose()
    say(text('developers.key.revoked.toast', { name }))
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('developers.revoke', { name })}
      action={text('developers.key.revoke')}
      word={name}
      isBusy={revoke.isPending}
      onConfirm={() => void confirm()}
    >
      <p>{text('developers.revoke.text')}</p>
      <FormProblem error={revoke.error} others={issueLines(revoke.error)} />
    </ConfirmDialog>
  )
}

function Rotate({
  subscription: { id, name },
  slot,
  onClose,
  onFresh,
}: {
  readonly subscription: Subscription
  readonly slot: Slot
  onClose(): void
  onFresh(fresh: FreshKeys): void
}): ReactNode {
  const rotate = useWrite(
    () =>
      contentOf(api.POST('/api/subscriptions/{id}/keys/{slot}/rotate', { params: { path: { id, slot } } })),
    [['subscriptions']],
  )
  const confirm = async () => {
    const response = await rotate.mutateAsync().catch(() => undefined)
    if (!response) return
    onClose()
    onFresh({ name, keys: [{ slot, key: response.key }] })
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('developers.rotate', { slot: text(`developers.slot.${slot}`) })}
      action={text('developers.key.rotate')}
      isBusy={rotate.isPending}
      onConfirm={() => void confirm()}
    >
      <p>{text('developers.rotate.text')}</p>
      <FormProblem error={rotate.error} others={issueLines(rotate.error)} />
    </ConfirmDialog>
  )
}
