import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { shortWallet } from '../../shell/account.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { type Invitation, invitationChanges } from './member.ts'

export function Invitations(): ReactNode {
  const [withdrawn, setWithdrawn] = useState<Invitation>()
  const open = useQuery({
    queryKey: ['invitations'],
    queryFn: async () => (await contentOf(api.GET('/api/members/invitations'))).invitations,
  })
  return (
    <Section title={text('team.invitations')} note={text('team.invitations.note')}>
      <QueryView
        query={open}
        isEmpty={(found) => found.length === 0}
        empty={<p className="text-dim">{text('team.invitations.none')}</p>}
      >
        {(found) => (
          <Table label={text('team.invitations')} head={<Head />}>
            {found.map((invitation) => (
              <tr key={invitation.id}>
                <RowHead>{roleName(invitation.role)}</RowHead>
                <Cell>
                  <code className="text-sm" title={invitation.madeBy}>
                    {shortWallet(invitation.madeBy)}
                  </code>
                </Cell>
                <Cell className="whitespace-nowrap text-dim">
                  <When at={invitation.createdAt} />
                </Cell>
                <Cell className="whitespace-nowrap text-dim">
                  <When at={invitation.expiresAt} />
                </Cell>
                <Cell className="whitespace-nowrap text-end">
                  <Button look="danger" onClick={() => setWithdrawn(invitation)}>
                    {text('team.withdraw')}
                  </Button>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
      {withdrawn ? <Withdraw invitation={withdrawn} onClose={() => setWithdrawn(undefined)} /> : null}
    </Section>
  )
}

function Head(): ReactNode {
  return (
    <>
      <HeadCell>{text('team.column.role')}</HeadCell>
      <HeadCell>{text('team.column.by')}</HeadCell>
      <HeadCell>{text('team.column.made')}</HeadCell>
      <HeadCell>{text('team.column.until')}</HeadCell>
      <HeadCell>
        <span className="sr-only">{text('team.column.do')}</span>
      </HeadCell>
    </>
  )
}

function Withdraw({ invitation, onClose }: { readonly invitation: Invitation; onClose(): void }): ReactNode {
  const say = useToast()
  const withdraw = useWrite(
    (id: string) => contentOf(api.DELETE('/api/members/invitations/{id}', { params: { path: { id } } })),
    [...invitationChanges],
  )
  const confirm = async () => {
    if (!(await withdraw.mutateAsync(invitation.id).catch(() => undefined))) return
    onClose()
    say(text('team.withdrawn'))
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={text('team.withdraw')}
      action={text('team.withdraw')}
      isBusy={withdraw.isPending}
      onConfirm={() => void confirm()}
    >
      <p>{text('team.withdraw.text', { role: roleName(invitation.role) })}</p>
      <FormProblem error={withdraw.error} />
    </ConfirmDialog>
  )
}
