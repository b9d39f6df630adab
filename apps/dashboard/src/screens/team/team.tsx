import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useSession } from '../../session/session-context.ts'
import { shortWallet } from '../../shell/account.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { AddMember } from './add-member.tsx'
import { ChangeRole } from './change-role.tsx'
import { Invitations } from './invitations.tsx'
import { InviteMember } from './invite-member.tsx'
import type { Member } from './member.ts'
import { RemoveMember } from './remove-member.tsx'
import { RolesTable } from './roles-table.tsx'

export function Team(): ReactNode {
  const [isAdding, setAdding] = useState(false)
  const [isInviting, setInviting] = useState(false)
  const [changed, setChanged] = useState<Member>()
  const [removed, setRemoved] = useState<Member>()
  const members = useQuery({
    queryKey: ['members'],
    queryFn: async () => (await contentOf(api.GET('/api/members'))).members,
  })
  return (
    <>
      <PageHeader title={text('team.title')} note={text('team.note')}>
        <Button onClick={() => setAdding(true)}>{text('team.add')}</Button>
        <Button look="main" onClick={() => setInviting(true)}>
          {text('team.invite')}
        </Button>
      </PageHeader>
      <div className="grid gap-8">
        <QueryView query={members}>
          {(found) => (
            <Table label={text('team.members')} head={<Head />}>
              {found.map((member) => (
                <Row
                  key={member.wallet}
                  member={member}
                  onChange={() => setChanged(member)}
                  onRemove={() => setRemoved(member)}
                />
              ))}
            </Table>
          )}
        </QueryView>
        <Invitations />
        <RolesTable />
      </div>
      {isInviting ? <InviteMember onClose={() => setInviting(false)} /> : null}
      {isAdding ? <AddMember onClose={() => setAdding(false)} /> : null}
      {changed ? <ChangeRole member={changed} onClose={() => setChanged(undefined)} /> : null}
      {removed ? <RemoveMember member={removed} onClose={() => setRemoved(undefined)} /> : null}
    </>
  )
}

function Head(): ReactNode {
  return (
    <>
      <HeadCell>{text('team.column.wallet')}</HeadCell>
      <HeadCell>{text('team.column.role')}</HeadCell>
      <HeadCell className="max-lg:hidden">{text('team.column.since')}</HeadCell>
      <HeadCell>
        <span className="sr-only">{text('team.column.do')}</span>
      </HeadCell>
    </>
  )
}

function Row({
  member,
  onChange,
  onRemove,
}: {
  readonly member: Member
  onChange(): void
  onRemove(): void
}): ReactNode {
  const isSelf = useSession().session?.wallet.toLowerCase() === member.wallet.toLowerCase()
  return (
    <tr>
      <RowHead>
        <code className="hidden whitespace-nowrap text-sm 2xl:inline">{member.wallet}</code>
        <code className="whitespace-nowrap text-sm 2xl:hidden" title={member.wallet}>
          {shortWallet(member.wallet)}
        </code>
        {isSelf ? <span className="ms-2 text-dim">{text('team.you')}</span> : null}
      </RowHead>
      <Cell>{roleName(member.role)}</Cell>
      <Cell className="whitespace-nowrap text-dim max-lg:hidden">
        <When at={member.createdAt} />
      </Cell>
      <Cell className="text-end">
        <span className="inline-flex flex-wrap justify-end gap-2">
          <Button onClick={onChange}>{text('team.change')}</Button>
          <Button look="danger" onClick={onRemove}>
            {text('team.remove')}
          </Button>
        </span>
      </Cell>
    </tr>
  )
}
