import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { ErrorNotice } from '../../parts/notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { EntryFrame } from '../../session/entry-frame.tsx'
import { ClosedInvitation } from './closed-invitation.tsx'
import { OpenInvitation } from './open-invitation.tsx'

/**
 * The screen that an invitation link opens. Browsers do not send the link's token, because it is in the URL
 * fragment.
 */
export function Invite(): ReactNode {
  const token = useRouterState({ select: ({ location }) => location.hash })
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => contentOf(api.POST('/api/auth/invitation', { body: { invitation: token } })),
    enabled: token !== '',
  })
  useEffect(() => {
    document.title = `${text('invite.title')} · ${text('app.name')}`
  }, [])
  const { data, error } = invitation
  const isUnknown = token === '' || (error instanceof ApiError && [400, 404].includes(error.status))
  return (
    <EntryFrame>
      {data?.state === 'open' ? <OpenInvitation invitation={data} token={token} /> : null}
      {data && data.state !== 'open' ? <ClosedInvitation invitation={data} why={data.state} /> : null}
      {isUnknown ? <ClosedInvitation why="unknown" /> : null}
      {error && !data && !isUnknown ? (
        <ErrorNotice error={error} retry={() => void invitation.refetch()} />
      ) : null}
      {invitation.isLoading ? <Skeleton rows={3} /> : null}
    </EntryFrame>
  )
}
