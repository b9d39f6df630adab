import { type ReactNode, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { useRole } from '../../session/use-role.ts'
import { LinkForm } from './link-form.tsx'
import { LinkMade, type MadeLink } from './link-made.tsx'

export function NewLink(): ReactNode {
  const { isManager } = useRole()
  const [made, setMade] = useState<MadeLink>()
  if (!isManager) {
    return (
      <Notice title={text('app.error.forbidden.title')}>
        <p>{text('new-link.forbidden')}</p>
      </Notice>
    )
  }
  return (
    <>
      <BackLink to="/receipts">{text('new-link.back')}</BackLink>
      {made ? (
        <>
          <PageHeader title={text('new-link.made.title')} note={text('new-link.made.note')} />
          <LinkMade made={made} onAnother={() => setMade(undefined)} />
        </>
      ) : (
        <>
          <PageHeader title={text('new-link.title')} note={text('new-link.note')} />
          <LinkForm onMade={setMade} />
        </>
      )}
    </>
  )
}
