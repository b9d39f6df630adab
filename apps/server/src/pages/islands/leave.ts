import { wasDone } from './page/document.ts'
import { leavePage } from './page/embedder.ts'
import { byId, fill, say } from './stage.ts'

const seconds = 5

/**
 * Takes the buyer back to the merchant after a while that can be called off. Once only in a tab:
 * who comes back to this page wants to see it.
 */
export function leaveSoon(receipt: string): void {
  const link = document.querySelector<HTMLAnchorElement>('a[data-return]')
  const notice = document.querySelector<HTMLElement>('[data-countdown]')
  const shown = notice?.querySelector('[data-seconds]')
  if (!link || !notice || !shown || !isFollowable(link) || wasDone('left', receipt)) return
  notice.hidden = false
  let left = seconds
  const tick = () => {
    shown.textContent = String(left)
    if (left-- > 0) return
    clearInterval(interval)
    leavePage(link.href)
  }
  const interval = setInterval(tick, 1_000)
  tick()
  say(notice.dataset.say ?? '')
  notice.querySelector('[data-act=stay]')?.addEventListener('click', () => {
    clearInterval(interval)
    notice.hidden = true
    link.focus()
  })
}

/** Takes the buyer to where the merchant's script asks, in the same way; what the receipt itself says goes first. */
export function leaveFor(url: string, receipt: string): void {
  const template = document.querySelector<HTMLTemplateElement>('template[data-step=leave]')
  if (!template || document.querySelector('a[data-return]')) return
  const { host } = new URL(url)
  byId('stage').querySelector('.head')?.after(fill(template, { url, host }))
  leaveSoon(receipt)
}

function isFollowable(link: HTMLAnchorElement): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(link.hostname)
  return link.protocol === 'https:' || (link.protocol === 'http:' && isLocal)
}

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
