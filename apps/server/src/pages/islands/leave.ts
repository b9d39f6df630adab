import { wasDone } from './page/document.ts'
import { leavePage } from './page/embedder.ts'
import { byId, fill, say } from './stage.ts'

const seconds = 5

/**
 * Returns the buyer to the merchant after a countdown that can be canceled. Runs once per receipt and tab.
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

/**
 * Sends the buyer to the URL that the merchant's script requested. The receipt's own return URL has priority.
 */
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
 * Runs the merchant's script for a paid receipt, once per tab.
 *
 * The frame has an opaque origin: the script cannot reach this page or the network. It can request one https
 * redirect.
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

function readRedirect(data: unknown): string | undefined {
  const url = (data as { redirect?: unknown } | null)?.redirect
  if (typeof url !== 'string' || url.length > maxUrlLength || !URL.canParse(url)) return undefined
  const { protocol, username, password, href } = new URL(url)
  return protocol === 'https:' && username === '' && password === '' ? href : undefined
}
