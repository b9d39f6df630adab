import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { askAlive } from '../api/client.ts'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNotice, Notice } from '../parts/notice.tsx'

/**
 * Shown when a screen cannot load or render. After `unreachable`, reloads only once the service responds,
 * because a failed reload would lose the app.
 */
export function ScreenError({ error }: { readonly error: unknown }): ReactNode {
  const isUnreachable = error instanceof ApiError && error.code === 'unreachable'
  useEffect(() => {
    if (!isUnreachable) return
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [isUnreachable])
  if (isUnreachable) return <ErrorNotice error={error} retry={reload} />
  return (
    <Notice title={text('app.error.title')} role="alert">
      <p>{text('app.error.screen')}</p>
      <Button onClick={() => location.reload()}>{text('app.reload')}</Button>
    </Notice>
  )
}

function reload(): void {
  void askAlive().then(
    () => location.reload(),
    () => {},
  )
}
