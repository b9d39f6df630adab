import { leaveFor } from './leave.ts'
import { wasDone } from './page/document.ts'

const maxUrlLength = 2_048

/**
 * Runs the merchant's script of a paid receipt, once in a tab: in a frame without an origin, which can reach neither
 * this page nor the network. It gets the result, and may ask for one https address to go to.
 */
export function runOnSuccess(panel: HTMLElement, receipt: string): void {
  const { onSuccess, result } = panel.dataset
  if (!onSuccess || !result || wasDone('ran', receipt)) return
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  frame.hidden = true
  frame.src = onSuccess
  frame.addEventListener('load', () => frame.contentWindow?.postMessage(JSON.parse(result), '*'), {
    once: true,
  })
  const hear = ({ source, data }: MessageEvent) => {
    if (source !== frame.contentWindow) return
    const url = readRedirect(data)
    if (url === undefined) return
    removeEventListener('message', hear)
    leaveFor(url, receipt)
  }
  addEventListener('message', hear)
  document.body.append(frame)
}

/** The address a message asks for; `undefined` for every other message, and for what is not followed. */
function readRedirect(data: unknown): string | undefined {
  const url = (data as { redirect?: unknown } | null)?.redirect
  if (typeof url !== 'string' || url.length > maxUrlLength || !URL.canParse(url)) return undefined
  const { protocol, username, password, href } = new URL(url)
  return protocol === 'https:' && username === '' && password === '' ? href : undefined
}
