import { type EmbedState, findEmbedder, notifyEmbedder } from './page/embedder.ts'

/** State that each panel reports to the embedding page. Panels not listed report `open`. */
const states: Readonly<Record<string, EmbedState>> = {
  pending: 'pending',
  orphaned: 'pending',
  'bank-pending': 'pending',
  paid: 'paid',
  overpaid: 'paid',
  'paid-late': 'paid',
  failed: 'failed',
  'receipt-expired': 'closed',
  'refund-requested': 'closed',
  refunded: 'closed',
}

const main = document.querySelector('main')
if (main && findEmbedder() !== undefined) {
  const panel = () => main.querySelector<HTMLElement>('#panel')
  const receiptId = () => panel()?.dataset.receipt?.replace(/^[^/]*\//, '') ?? ''
  const state = () => states[panel()?.dataset.panel ?? ''] ?? 'open'
  const report = (event: 'ready' | 'state' | 'leave' | 'close', url?: string) => {
    const { backgroundColor: ground, color: ink } = getComputedStyle(document.body)
    const colours = { ground, ink }
    notifyEmbedder({
      sluice: 'checkout',
      event,
      receiptId: receiptId(),
      state: state(),
      colours,
      ...(url && { url }),
    })
  }

  let reported = state()
  report('ready')
  new MutationObserver(() => {
    if (state() === reported) return
    reported = state()
    report('state')
  }).observe(main, { childList: true, subtree: true, attributeFilter: ['data-panel'] })

  document.addEventListener('leave', (event) => report('leave', String((event as CustomEvent).detail)))
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) report('close')
  })
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (link) keepInside(link, event, report)
  })
}

/** Keeps our pages inside the frame. The return link navigates the window; other links open a new window. */
function keepInside(
  link: HTMLAnchorElement,
  event: Event,
  report: (event: 'leave', url: string) => void,
): void {
  if ('return' in link.dataset) {
    event.preventDefault()
    report('leave', link.href)
  } else if (link.origin !== location.origin) {
    if (link.protocol === 'https:' || link.protocol === 'http:') link.target = '_blank'
  } else if (!link.getAttribute('href')?.startsWith('#')) {
    const url = new URL(link.href)
    url.searchParams.set('embed', findEmbedder() ?? '')
    link.href = url.href
  }
}
