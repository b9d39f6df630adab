import { leavePage } from './embedder.ts'
import { say } from './stage.ts'

const seconds = 5

/**
 * Takes the buyer back to the merchant after a while that can be called off. Once only in a tab:
 * who comes back to this page wants to see it.
 */
export function leaveSoon(receipt: string): void {
  const link = document.querySelector<HTMLAnchorElement>('a[data-return]')
  const notice = document.querySelector<HTMLElement>('[data-countdown]')
  const shown = notice?.querySelector('[data-seconds]')
  if (!link || !notice || !shown || !isFollowable(link) || wasLeft(receipt)) return
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

function isFollowable(link: HTMLAnchorElement): boolean {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(link.hostname)
  return link.protocol === 'https:' || (link.protocol === 'http:' && isLocal)
}

function wasLeft(receipt: string): boolean {
  try {
    const key = `sluice:left:${receipt}`
    const was = sessionStorage.getItem(key) !== null
    sessionStorage.setItem(key, '1')
    return was
  } catch {
    return false
  }
}
