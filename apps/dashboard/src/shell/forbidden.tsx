import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TextKey } from '../messages/catalogue.ts'
import { formatTag, text } from '../messages/messages.ts'
import { Notice } from '../parts/notice.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useSession } from '../session/session-context.ts'
import { type Role, sectionsOf } from './sections.ts'

export function Forbidden({
  section,
  roles,
}: {
  readonly section: string
  readonly roles: readonly Role[]
}): ReactNode {
  const { session } = useSession()
  const role = session?.role ?? 'viewer'
  const names = roles.map((each) => roleName(each))
  const first = sectionsOf(role)[0]
  return (
    <>
      <PageHeader title={section} />
      <Notice title={text('app.error.forbidden.title')}>
        <p>
          {text('app.error.forbidden.roles', {
            role: roleName(role),
            roles: new Intl.ListFormat(formatTag(), { type: 'disjunction' }).format(names),
          })}
        </p>
        {first ? (
          <Link to={first.to} className="py-1 text-accent underline underline-offset-4">
            {text(first.key)}
          </Link>
        ) : null}
      </Notice>
    </>
  )
}

export function roleName(role: Role): string {
  return text(`app.role.${role}` as TextKey)
}
