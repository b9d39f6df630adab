import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'

export function LeaveGuard({ isDirty }: { readonly isDirty: boolean }): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={status === 'blocked'}
      onClose={() => reset?.()}
      title={text('shop.leave.title')}
      action={text('shop.leave.do')}
      onConfirm={() => proceed?.()}
    >
      <p>{text('shop.leave.text')}</p>
    </ConfirmDialog>
  )
}
