import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useSession } from '../../session/session-context.ts'
import { keepDeployCall, useDeployCall } from './deploy-call.ts'
import { SendByWallet } from './send-by-wallet.tsx'
import type { Split } from './use-split.ts'

/** The steps of a deployment. If the service does not send the call, owners and admins do. */
export function DeployProgress({ split }: { readonly split: Split }): ReactNode {
  const role = useSession().session?.role
  const queries = useQueryClient()
  const call = useDeployCall()
  // Does not change an existing split. Returns the call if the merchant must deploy.
  const ask = useWrite(() => contentOf(api.POST('/api/split/deploy', { body: {} })), [['split']])
  const look = async () => {
    const response = await ask.mutateAsync().catch(() => undefined)
    if (response) keepDeployCall(queries, response.deploy ?? null)
  }
  return (
    <Card title={text('split.deploying')} note={text('split.deploying.note')}>
      <ol className="grid gap-2">
        <Step isDone>{text('split.deploying.address')}</Step>
        <Step isDone={split.deployed}>{text('split.deploying.chain')}</Step>
      </ol>
      {role === 'owner' || role === 'admin' ? (
        <div className="mt-4 grid justify-items-start gap-3">
          {call ? <SendByWallet call={call} label={text('split.deploy-by-wallet')} /> : null}
          {call === null ? <p className="text-dim">{text('split.deploying.service')}</p> : null}
          {call === undefined ? (
            <Button disabled={ask.isPending} onClick={() => void look()}>
              {text('split.deploying.look')}
            </Button>
          ) : null}
        </div>
      ) : null}
    </Card>
  )
}

function Step({ isDone, children }: { readonly isDone: boolean; readonly children: ReactNode }): ReactNode {
  return (
    <li className="flex items-start gap-3">
      <span
        aria-hidden="true"
        className={`grid size-6 shrink-0 place-items-center rounded-full text-sm ${isDone ? 'bg-good-soft text-good' : 'animate-pulse bg-wait-soft text-wait'}`}
      >
        {isDone ? '✓' : '…'}
      </span>
      <span>
        {children} <span className="text-dim">{text(isDone ? 'split.step.done' : 'split.step.waiting')}</span>
      </span>
    </li>
  )
}
