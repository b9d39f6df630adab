import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { isStopCode } from '@sluice/protocol/failures.ts'
import { fact, merchantText, panelHead } from '../html/parts.ts'
import { receiptFact } from './facts.ts'
import { canPayAgain, failureCodeOf, limitOf } from './failure.ts'
import type { PageContext } from './page-context.ts'
import { cardWay, quoteButton } from './ways-to-pay.ts'

/** A payment that failed: why, in the buyer's words, what helps, and another way to pay where there is one. */
export function failedPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { t } = context
  const code = failureCodeOf(view)
  const brand = merchantText(view.brandName)
  const text = html`${t.text(`checkout.failure.${code}.reason`)} ${t.html(`checkout.failure.${code}.next`, { brand })}`
  const reference = view.failure?.providerRequestId
  const head = isStopCode(code)
    ? panelHead('plain', 'cross', t.text('checkout.failed.stopped'), text)
    : panelHead('bad', 'cross', t.text('checkout.failed.title'), text)
  return html`${head}
${canPayAgain(view) ? waysOn(view, context) : null}
<dl class="facts">
  ${reference ? fact(t.text('checkout.fact.reference'), html`<bdi class="mono">${reference}</bdi>`) : null}
  ${receiptFact(view, t)}
</dl>
<p class="note">${t.html('checkout.failed.contact', { brand })}</p>`
}

/** By card again where that is what failed, and another way. */
function waysOn(view: CheckoutView, context: PageContext): SafeHtml {
  const again = context.t.text('checkout.failed.again')
  const isCard = view.onramp !== null && view.onramp.session !== null
  if (!isCard || limitOf(view) === 'provider') return quoteButton(again, view, context)
  return html`${cardWay(view, context, 'again')}${quoteButton(again, view, context, 'quiet')}`
}
