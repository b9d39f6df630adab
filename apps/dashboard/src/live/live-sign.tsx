import type { ReactNode } from 'react'
import type { TextKey } from '../messages/catalogue.ts'
import { text } from '../messages/messages.ts'
import { useLive } from './use-live.ts'

const looks = {
  live: ['●', 'text-good'],
  polling: ['◔', 'text-dim'],
  offline: ['✕', 'text-bad'],
} as const

/** Keeps the screen's data up to date and shows whether updates are live, polled or offline. */
export function LiveIcon(): ReactNode {
  const state = useLive()
  const [sign, look] = looks[state]
  return (
    <p role="status" title={text(`app.live.${state}.text` as TextKey)} className={`px-3 text-sm ${look}`}>
      <span aria-hidden="true">{sign}</span> {text(`app.live.${state}` as TextKey)}
    </p>
  )
}
