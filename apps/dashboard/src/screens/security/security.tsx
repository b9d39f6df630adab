import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { useSession } from '../../session/session-context.ts'
import { AuditLog } from './audit-log.tsx'
import { Sessions } from './sessions.tsx'

export function Security(): ReactNode {
  const role = useSession().session?.role
  return (
    <>
      <PageHeader title={text('security.title')} note={text('security.note')} />
      <div className="grid gap-8">
        <Sessions />
        {role === 'owner' || role === 'admin' || role === 'operator' ? <AuditLog /> : null}
      </div>
    </>
  )
}
