import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { merchantText, panelHead, type SignName, type Tone } from '../html/parts.ts'
import { receiptFact, shortFacts } from './facts.ts'
import type { PageContext } from './page-context.ts'
import type { Panel } from './panel.ts'
import { cardWay, quoteButton } from './ways-to-pay.ts'

/** The panels of a receipt that is unpaid and cannot be paid as it stands. */
export function obstaclePanel(panel: Panel, view: CheckoutView, context: PageContext): SafeHtml | undefined {
  const { t } = context
  switch (panel) {
    case 'expired':
    case 'no-offer':
    case 'short-expired': {
      const rest = panel === 'short-expired' ? shortFacts(view, t) : null
      return html`${head(panel, view, context)}${rest}${quoteButton(t.text(`checkout.${panel}.again`), view, context)}${panel === 'no-offer' ? null : cardWay(view, context)}`
    }
    case 'receipt-expired':
    case 'cancelled':
    case 'cannot-pay':
    case 'out-of-limits':
      return html`${head(panel, view, context)}<dl class="facts">${receiptFact(view, t)}</dl>`
    default:
      return undefined
  }
}

const looks = {
  expired: ['plain', 'clock'],
  'short-expired': ['wait', 'alert'],
  'receipt-expired': ['plain', 'clock'],
  cancelled: ['plain', 'cross'],
  'no-offer': ['bad', 'alert'],
  'cannot-pay': ['bad', 'alert'],
  'out-of-limits': ['bad', 'alert'],
} as const satisfies Partial<Record<Panel, readonly [Tone, SignName]>>

function head(panel: keyof typeof looks, view: CheckoutView, { t }: PageContext): SafeHtml {
  const brand = merchantText(view.brandName)
  const [tone, sign] = looks[panel]
  return panelHead(tone, sign, t.text(`checkout.${panel}.title`), t.html(`checkout.${panel}.text`, { brand }))
}
