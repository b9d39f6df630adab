import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'

/** In place of a screen that could not be loaded or drawn. A new version of the app is what a reload brings. */
export function ScreenError(): ReactNode {
  return (
    <Notice title={text('app.error.title')} role="alert">
      <p>{text('app.error.screen')}</p>
      <Button onClick={() => location.reload()}>{text('app.reload')}</Button>
    </Notice>
  )
}
