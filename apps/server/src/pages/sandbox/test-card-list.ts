import { html, type SafeHtml } from '@remix-run/html-template'
import { failureCategories, failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { type SandboxSession, settlesAfterMs } from '../../onramp/sandbox/session.ts'
import { failingCards, groupDigits, payingCard, testAccounts } from '../../onramp/sandbox/test-cards.ts'
import type { Translator } from '../messages/translator.ts'
import { linkTo, type SandboxAsked } from './pay-forms.ts'

/** Every test card, or every test account, with what it does and a link that fills it in. */
export function testCards(session: SandboxSession, asked: SandboxAsked, t: Translator): SafeHtml {
  const { method, lang } = asked
  const row = (number: string, shown: string, text: string, code: string | undefined) =>
    html`<li><p class="mono number" dir="ltr">${shown}</p><div><p>${text}</p>${code === undefined ? null : html`<p class="mono code" dir="ltr">${code}</p>`}</div><a class="use" href="${linkTo(session, { method, number, lang })}" aria-label="${t.text('sandbox.cards.use-number', { number: shown })}">${t.text('sandbox.cards.use')}</a></li>`
  const isCard = method === 'card'
  const seconds = Math.round(settlesAfterMs / 1_000)
  return html`<section id="cards" aria-labelledby="cards-heading"><h2 id="cards-heading">${t.text(isCard ? 'sandbox.cards.heading' : 'sandbox.accounts.heading')}</h2>
<p class="dim">${isCard ? t.text('sandbox.cards.text') : t.text('sandbox.accounts.text', { seconds })}</p>
${isCard ? html`<ul class="cards">${row(payingCard, groupDigits(payingCard), t.text('sandbox.cards.paid'), undefined)}</ul>${failureCategories.map((category) => categoryList(category, row, t))}` : accountList(row, t)}
</section>`
}

type Row = (number: string, shown: string, text: string, code: string | undefined) => SafeHtml

function categoryList(category: (typeof failureCategories)[number], row: Row, t: Translator): SafeHtml {
  const codes = (Object.keys(failures) as FailureCode[]).filter(
    (code) => failures[code].category === category,
  )
  const rows = codes.map((code) => {
    const number = failingCards[code]
    return row(number, groupDigits(number), t.text(`checkout.failure.${code}.reason`), code)
  })
  return html`<details${category === 'card_decline' ? html` open` : null}><summary><h3>${t.text(`sandbox.category.${category}`)}</h3></summary><ul class="cards">${rows}</ul></details>`
}

function accountList(row: Row, t: Translator): SafeHtml {
  const rows = Object.entries(testAccounts).map(([number, outcome]) =>
    outcome.kind === 'settles'
      ? row(number, number, t.text('sandbox.accounts.settles'), undefined)
      : row(
          number,
          number,
          t.text('sandbox.accounts.returned', { reason: t.text(`checkout.failure.${outcome.code}.reason`) }),
          outcome.code,
        ),
  )
  return html`<ul class="cards">${rows}</ul>`
}
