import { localiseTimes, parsePage } from './page/document.ts'

/** Polling interval and total duration. */
const everyMs = 10_000
const patienceMs = 60 * 60_000

const openedAt = Date.now()

localiseTimes()
document.addEventListener('click', (event) => {
  if ((event.target as Element).closest('[data-act=print]')) print()
})
waitForNews()

function receipt(): HTMLElement | null {
  return document.getElementById('receipt')
}

function waitForNews(): void {
  if (receipt()?.dataset.follow === undefined || Date.now() - openedAt > patienceMs) return
  setTimeout(async () => {
    if (document.visibilityState === 'visible') await lookForNews()
    waitForNews()
  }, everyMs)
}

/** Replaces the receipt with that of a newer copy of this page, if it changed. */
async function lookForNews(): Promise<void> {
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(10_000) })
    if (!response.ok) return
    const page = parsePage(await response.text())
    const [old, fresh] = [receipt(), page.getElementById('receipt')]
    if (!old || !fresh || fresh.dataset.version === old.dataset.version) return
    const wasOpen = old.querySelector<HTMLDetailsElement>('details')?.open === true
    const details = fresh.querySelector('details')
    if (details) details.open = wasOpen
    const hadFocus = old.contains(document.activeElement)
    old.replaceWith(document.adoptNode(fresh))
    localiseTimes()
    if (hadFocus) focusAgain(fresh)
    sayStep(fresh)
  } catch {}
}

/** Focuses the receipt if the focus was inside it, so that the focus does not jump to the page's start. */
function focusAgain(fresh: HTMLElement): void {
  fresh.tabIndex = -1
  fresh.focus({ preventScroll: true })
}

function sayStep(fresh: HTMLElement): void {
  const steps = [...fresh.querySelectorAll('.tracker li.done h3, .tracker li.stopped h3')]
  const region = document.getElementById('say')
  const last = steps.at(-1)?.firstChild?.textContent?.trim()
  if (region && last) region.textContent = last
}
