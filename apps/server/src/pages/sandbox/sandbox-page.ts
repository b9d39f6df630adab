import { html, type SafeHtml } from '@remix-run/html-template'
import { writeCents } from '@sluice/protocol/money.ts'
import { feeOf, type SandboxSession, takesPayment } from '../../onramp/sandbox/session.ts'
import { failureCodeOfSandbox } from '../../onramp/sandbox/test-cards.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { fact, type IconName, languageSwitch, panelHead, sign, type Tone } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'
import { linkTo, payForms, type SandboxAsked, testCards } from './pay-forms.ts'

export type ShownSession = { readonly session: SandboxSession; readonly networkName: string }

export function sandboxPage(shown: ShownSession, asked: SandboxAsked, frame: PageFrame): SafeHtml {
  const { session } = shown
  const { t, assets } = frame
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.sandbox,
    title: t.text('sandbox.title', { amount: totalText(session, t) }),
    body: html`
<p class="strip">${t.html('sandbox.strip')}</p>
<main>
<section id="summary" aria-label="${t.text('sandbox.order.region')}">${summary(shown, t)}</section>
<section id="panel" aria-label="${t.text('sandbox.pay.region')}" data-state="${session.state}"><div class="stage">
${takesPayment(session) ? html`${payForms(session, asked, t, totalText(session, t))}${backLink(session, t, 'sandbox.pay.back', 'quiet')}` : result(session, t)}
</div></section>
${takesPayment(session) ? testCards(session, asked, t) : null}
</main>
<footer>${languageSwitch(t.locale, t.text('checkout.languages'), (lang) => linkTo(session, { ...asked, lang }))}</footer>`,
  })
}

function totalText({ dueCents }: SandboxSession, t: Translator): string {
  return t.money(writeCents(dueCents) + writeCents(feeOf(dueCents)), 'USD')
}

function summary({ session, networkName }: ShownSession, t: Translator): SafeHtml {
  const { dueCents, units, decimals, depositAddress } = session
  return html`<header class="who"><span class="mark">${sign('play')}</span><div><h1>${t.text('sandbox.name')}</h1><p class="dim">${t.text('sandbox.tagline')}</p></div></header>
<p class="amount">${totalText(session, t)}</p>
<dl class="sums">
${fact(t.text('sandbox.order.payment'), t.money(writeCents(dueCents), 'USD'))}
${fact(t.text('sandbox.order.fee'), t.money(writeCents(feeOf(dueCents)), 'USD'))}
${fact(t.text('sandbox.order.total'), totalText(session, t), 'total')}
</dl>
<dl class="facts">
${fact(t.text('sandbox.order.delivers'), t.token(units.toString(), decimals, 'USDC'))}
${fact(t.text('sandbox.order.network'), networkName)}
${fact(t.text('sandbox.order.address'), html`<span class="mono" dir="ltr">${depositAddress}</span>`)}
</dl>`
}

const looks = {
  accepted: ['good', 'check'],
  ach_pending: ['wait', 'clock'],
  settled: ['good', 'check'],
  returned: ['bad', 'cross'],
  failed: ['bad', 'cross'],
} as const satisfies Record<Exclude<SandboxSession['state'], 'opened'>, readonly [Tone, IconName]>

function result(session: SandboxSession, t: Translator): SafeHtml {
  // An open session has no result.
  const state = session.state === 'opened' ? 'failed' : session.state
  const text =
    state === 'failed' || state === 'returned' ? reasonText(session, t) : t.text(`sandbox.done.${state}.text`)
  const [tone, name] = looks[state]
  return html`${panelHead(tone, name, t.text(`sandbox.done.${state}.title`), text)}${backLink(session, t, 'sandbox.done.back', 'button')}`
}

export function reasonText({ errorCode }: SandboxSession, t: Translator): string {
  return t.text(`checkout.failure.${failureCodeOfSandbox(errorCode ?? null)}.reason`)
}

function backLink(
  { redirectUrl }: SandboxSession,
  t: Translator,
  key: 'sandbox.pay.back' | 'sandbox.done.back',
  look: 'button' | 'quiet',
): SafeHtml | null {
  const href = safeRedirect(redirectUrl)
  return href === undefined
    ? null
    : html`<p class="actions"><a class="${look}" href="${href}" rel="noopener">${t.text(key)}</a></p>`
}

/** Returns the URL if it uses http or https, which excludes `javascript:` URLs. */
export function safeRedirect(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
