import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { When } from '../../parts/when.tsx'
import { roleName } from '../../shell/forbidden.tsx'
import type { MadeInvitation } from './member.ts'

/** Shows the link of a new invitation. The API returns the link only once. */
export function InvitationLink({
  made,
  onClose,
}: {
  readonly made: MadeInvitation
  onClose(): void
}): ReactNode {
  const role = roleName(made.invitation.role)
  return (
    <Dialog
      isOpen
      isHeld
      onClose={onClose}
      title={text('team.link', { role })}
      note={
        <>
          {text('team.link.note')} {text('team.link.until')} <When at={made.invitation.expiresAt} />
        </>
      }
    >
      <div className="grid gap-4 rounded-xl border border-line bg-page p-4">
        <code className="text-sm [overflow-wrap:anywhere]" dir="ltr">
          {made.url}
        </code>
        <div>
          <CopyButton value={made.url} label={text('team.link.copy')} isMain />
        </div>
      </div>
      <div className="mx-auto w-48">
        <QrCode value={made.url} label={text('team.link.code')} />
      </div>
      <p className="flex justify-end">
        <Button onClick={onClose}>{text('team.link.done')}</Button>
      </p>
    </Dialog>
  )
}
