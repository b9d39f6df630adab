import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { shortWallet } from '../../shell/account.tsx'
import { browserName } from './browser-name.ts'

type Listed =
  operations['getAuthSessions']['responses'][200]['content']['application/json']['sessions'][number]

export function Sessions(): ReactNode {
  const [asked, setAsked] = useState<Listed | 'others'>()
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await contentOf(api.GET('/api/auth/sessions'))).sessions,
  })
  return (
    <Section
      title={text('security.sessions')}
      note={text('security.sessions.note')}
      action={
        <Button look="danger" onClick={() => setAsked('others')}>
          {text('security.end-others')}
        </Button>
      }
    >
      <QueryView query={sessions}>
        {(found) => (
          <Table label={text('security.sessions')} head={<Head />}>
            {found.map((session) => (
              <Row key={session.id} session={session} onEnd={() => setAsked(session)} />
            ))}
          </Table>
        )}
      </QueryView>
      {asked ? <EndSession which={asked} onClose={() => setAsked(undefined)} /> : null}
    </Section>
  )
}

function Head(): ReactNode {
  return (
    <>
      <HeadCell>{text('security.column.device')}</HeadCell>
      <HeadCell>{text('security.column.wallet')}</HeadCell>
      <HeadCell>{text('security.column.address')}</HeadCell>
      <HeadCell>{text('security.column.seen')}</HeadCell>
      <HeadCell>{text('security.column.until')}</HeadCell>
      <HeadCell>
        <span className="sr-only">{text('security.end')}</span>
      </HeadCell>
    </>
  )
}

function Row({ session, onEnd }: { readonly session: Listed; onEnd(): void }): ReactNode {
  return (
    <tr>
      <RowHead>
        <span className="flex flex-wrap items-center gap-2" title={session.userAgent ?? undefined}>
          {browserName(session.userAgent) ?? text('security.unknown-device')}
          {session.isCurrent ? (
            <Badge tone="good" sign="●">
              {text('security.current')}
            </Badge>
          ) : null}
        </span>
      </RowHead>
      <Cell>
        <code title={session.wallet}>{shortWallet(session.wallet)}</code>
      </Cell>
      <Cell>
        <code className="text-sm">{session.address}</code>
      </Cell>
      <Cell className="whitespace-nowrap">
        <When at={session.lastSeenAt} />
      </Cell>
      <Cell className="whitespace-nowrap text-dim">
        <When at={session.expiresAt} />
      </Cell>
      <Cell className="text-end">
        {session.isCurrent ? null : <Button onClick={onEnd}>{text('security.end')}</Button>}
      </Cell>
    </tr>
  )
}

function EndSession({ which, onClose }: { readonly which: Listed | 'others'; onClose(): void }): ReactNode {
  const say = useToast()
  const end = useWrite(
    () =>
      which === 'others'
        ? contentOf(api.DELETE('/api/auth/sessions'))
        : contentOf(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id: which.id } } })),
    [['sessions']],
  )
  const confirm = async () => {
    if ((await end.mutateAsync().catch(() => undefined)) === undefined) return
    onClose()
    say(text('security.ended'))
  }
  const title = text(which === 'others' ? 'security.end-others' : 'security.end')
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={title}
      action={title}
      isBusy={end.isPending}
      onConfirm={() => void confirm()}
    >
      <p>{text(which === 'others' ? 'security.end-others.text' : 'security.end.text')}</p>
      <FormProblem error={end.error} others={issueLines(end.error)} />
    </ConfirmDialog>
  )
}
