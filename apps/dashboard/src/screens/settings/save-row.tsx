import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorLine } from '../../parts/error-line.tsx'

/** The end of a group of settings. */
export function SaveRow({
  error,
  isBusy,
  isChanged,
}: {
  readonly error: unknown
  readonly isBusy: boolean
  readonly isChanged: boolean
}): ReactNode {
  return (
    <>
      <ErrorLine error={error} />
      <p className="flex justify-end">
        <Button type="submit" look="main" disabled={isBusy || !isChanged}>
          {text('settings.save')}
        </Button>
      </p>
    </>
  )
}
