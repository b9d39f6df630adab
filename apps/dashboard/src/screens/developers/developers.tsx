import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { TabLinks } from '../../parts/tab-links.tsx'
import { useSession } from '../../session/session-context.ts'

/** Returns whether the role may create and see API keys. An admin may not. */
export function useMayHoldKeys(): boolean {
  const role = useSession().session?.role
  return role === 'owner' || role === 'developer'
}

export function DevelopersHead({ children }: { readonly children?: ReactNode }): ReactNode {
  const mayHoldKeys = useMayHoldKeys()
  return (
    <>
      <PageHeader title={text('developers.title')} note={text('developers.note')}>
        {children}
      </PageHeader>
      <TabLinks
        label={text('developers.tabs')}
        tabs={[
          ...(mayHoldKeys ? [{ to: '/developers' as const, label: text('developers.keys') }] : []),
          { to: '/developers/deliveries', label: text('developers.deliveries') },
          { to: '/developers/webhook-test', label: text('developers.test') },
          { to: '/developers/events', label: text('developers.events') },
          { to: '/developers/requests', label: text('developers.requests') },
          { to: '/developers/snippets', label: text('developers.snippets') },
        ]}
      />
    </>
  )
}
