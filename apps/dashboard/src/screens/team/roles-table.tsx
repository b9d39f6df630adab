import type { ReactNode } from 'react'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import { type MemberRole, memberRoles } from './member.ts'

/** Rights of each role. They must match the service's checks. */
const rights: readonly { readonly key: TextKey; readonly roles: readonly MemberRole[] }[] = [
  { key: 'team.may.terminal', roles: ['owner', 'admin', 'cashier'] },
  { key: 'team.may.read', roles: ['owner', 'admin', 'developer', 'viewer'] },
  { key: 'team.may.write', roles: ['owner', 'admin'] },
  { key: 'team.may.refund', roles: ['owner', 'admin'] },
  { key: 'team.may.webhooks', roles: ['owner', 'admin', 'developer'] },
  { key: 'team.may.keys', roles: ['owner', 'developer'] },
  { key: 'team.may.settings', roles: ['owner', 'admin'] },
  { key: 'team.may.audit', roles: ['owner', 'admin'] },
  { key: 'team.may.split', roles: ['owner'] },
  { key: 'team.may.team', roles: ['owner'] },
]

export function RolesTable(): ReactNode {
  return (
    <Section title={text('team.roles')} note={text('team.roles.note')}>
      <Table
        label={text('team.roles')}
        head={
          <>
            <HeadCell>{text('team.column.right')}</HeadCell>
            {memberRoles.map((role) => (
              <HeadCell key={role}>{roleName(role)}</HeadCell>
            ))}
          </>
        }
      >
        {rights.map(({ key, roles }) => (
          <tr key={key}>
            <RowHead className="min-w-40">{text(key)}</RowHead>
            {memberRoles.map((role) => (
              <Cell key={role}>
                {roles.includes(role) ? (
                  <>
                    <span aria-hidden="true" className="text-good">
                      ✓
                    </span>
                    <span className="sr-only">{text('team.yes')}</span>
                  </>
                ) : (
                  <>
                    <span aria-hidden="true" className="text-dim">
                      –
                    </span>
                    <span className="sr-only">{text('team.no')}</span>
                  </>
                )}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </Section>
  )
}
