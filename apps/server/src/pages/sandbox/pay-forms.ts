import { html, type SafeHtml } from '@remix-run/html-template'
import { failureCategories, failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import { sandboxPath } from '../../onramp/sandbox/sandbox-provider.ts'
import { type SandboxSession, settlesAfterMs } from '../../onramp/sandbox/session.ts'
import {
  failureCodeOfSandbox,
  groupDigits,
  testAccounts,
  testRoutingNumber,
} from '../../onramp/sandbox/test-cards.ts'
import { sign } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

export type SandboxAsked = {
  readonly method: 'card' | 'bank'
  /** Card or account number. Defaults to the test number whose payment succeeds. */
  readonly number: string | undefined
  readonly isWrong: boolean
  readonly lang: string | undefined
}

export function linkTo(session: SandboxSession, { method, number, lang }: Partial<SandboxAsked>): string {
  const params = new URLSearchParams({
    ...(method === 'bank' && { method }),
    ...(number !== undefined && { number }),
    ...(lang !== undefined && { lang }),
  })
  return `${sandboxPath}/${session.id}${params.size > 0 ? `?${params}` : ''}`
}

export function payForms(
  session: SandboxSession,
  asked: SandboxAsked,
  t: Translator,
  total: string,
): SafeHtml {
  const { method, isWrong, lang } = asked
  const tab = (name: 'card' | 'bank') =>
    html`<li><a href="${linkTo(session, { method: name, lang })}"${method === name ? html` aria-current="true"` : null}>${t.text(`sandbox.method.${name}`)}</a></li>`
  return html`<h2 class="ask">${t.text('sandbox.pay.heading')}</h2>
${isWrong ? error(t.text(method === 'card' ? 'sandbox.card.wrong' : 'sandbox.bank.wrong')) : lastFailure(session, t)}
<nav class="methods" aria-label="${t.text('sandbox.pay.heading')}"><ul>${tab('card')}${tab('bank')}</ul></nav>
<form method="post" action="${linkTo(session, { method, lang })}" class="fields" id="form" autocomplete="off">
<input type="hidden" name="method" value="${method}">
${method === 'card' ? cardFields(asked, t) : bankFields(asked, t)}
<button class="button">${t.text('sandbox.pay.button', { amount: total })}</button>
</form>`
}

function lastFailure({ errorCode }: SandboxSession, t: Translator): SafeHtml | null {
  if (errorCode === undefined) return null
  const reason = t.text(`checkout.failure.${failureCodeOfSandbox(errorCode)}.reason`)
  return error(t.text('sandbox.pay.again', { reason }))
}

function error(text: string): SafeHtml {
  return html`<p class="fault" role="alert" id="fault">${sign('alert')}<span>${text}</span></p>`
}

function cardFields({ number, isWrong }: SandboxAsked, t: Translator): SafeHtml {
  return html`<div><label for="number">${t.text('sandbox.card.number')}</label>
${numberInput('number', groupDigits(number ?? payingCard), isWrong)}</div>
<div class="pair"><div><label for="expiry">${t.text('sandbox.card.expiry')}</label>${plainInput('expiry', '12/34')}</div>
<div><label for="code">${t.text('sandbox.card.code')}</label>${plainInput('code', '123')}</div></div>`
}

function bankFields({ number, isWrong }: SandboxAsked, t: Translator): SafeHtml {
  return html`<div><label for="routing">${t.text('sandbox.bank.routing')}</label>${plainInput('routing', testRoutingNumber)}</div>
<div><label for="number">${t.text('sandbox.bank.account')}</label>
${numberInput('number', number ?? '000123456789', isWrong)}</div>`
}

/** Accepts test numbers only: autocomplete is off, so that browsers do not offer real cards. */
function numberInput(id: string, value: string, isWrong: boolean): SafeHtml {
  return html`<input id="${id}" name="number" class="mono" value="${value}" required maxlength="32" inputmode="numeric" autocomplete="off" spellcheck="false" dir="ltr"${isWrong ? html` aria-invalid="true" aria-describedby="fault"` : null}>`
}

function plainInput(id: string, value: string): SafeHtml {
  return html`<input id="${id}" name="${id}" class="mono" value="${value}" maxlength="16" inputmode="numeric" autocomplete="off" spellcheck="false" dir="ltr">`
}

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
