import { html, type SafeHtml } from '@remix-run/html-template'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import type { MoneyTracker, RecipientPart, TrackedStep } from '../../payments/tracking/track-money.ts'
import { explorerUrl, type IconName, outsideLink, shortAddress, sign, type Tone } from '../html/parts.ts'
import type { MessageKey, Translator } from '../messages/translator.ts'

/**
 * Renders the stages of the payment, up to the payout to the recipients, as text.
 *
 * Shows the recipients' addresses and shares, so that buyers can check them: both are public on-chain.
 * Recipients' names are not public and are omitted.
 */
export function trackerList(view: ReceiptView, tracker: MoneyTracker, t: Translator): SafeHtml {
  const { steps, parts } = tracker
  const items = steps.map((tracked) => {
    const { state, at } = tracked
    const text = textOf(tracked)
    return html`<li class="${state} ${tones[state]}"${state === 'now' ? html` aria-current="step"` : null}><span class="badge">${sign(signs[state])}</span><div>
<h3>${stepTitle(tracked, t)} <span class="hidden">(${t.text(`receipt.tracker.state.${state}`)})</span></h3>
${text ? html`<p>${t.text(text)}</p>` : null}${at === null ? null : html`<p class="dim">${t.time(at)}</p>`}
</div></li>`
  })
  return html`<aside class="tracker" aria-labelledby="tracker"><h2 id="tracker">${t.text('receipt.tracker.heading')}</h2><ol>${items}</ol>${partsList(view, parts, t)}</aside>`
}

const signs = {
  done: 'check',
  now: 'clock',
  waiting: 'dot',
  stopped: 'alert',
} as const satisfies Record<TrackedStep['state'], IconName>

const tones = {
  done: 'good',
  now: 'wait',
  waiting: 'plain',
  stopped: 'bad',
} as const satisfies Record<TrackedStep['state'], Tone>

export function stepTitle({ step, state }: TrackedStep, t: Translator): string {
  return t.text(`receipt.tracker.${step}.${state}` as MessageKey)
}

function textOf({ step, state }: TrackedStep): MessageKey | undefined {
  return state === 'waiting' ? undefined : (`receipt.tracker.${step}.${state}.text` as MessageKey)
}

function partsList(view: ReceiptView, parts: readonly RecipientPart[], t: Translator): SafeHtml | null {
  if (parts.length === 0) return null
  const tokens = new Map(
    view.payments.map(({ token, decimals, tokenAddress }) => [tokenAddress, { token, decimals }]),
  )
  let number = 0
  const rows = parts.map((part) => {
    const { address, isPlatform, sharesBps, units, state, transactionHash: hash } = part
    const name = isPlatform
      ? t.text('receipt.tracker.platform')
      : t.text('receipt.tracker.recipient', { number: ++number })
    const { token = '', decimals = 0 } = tokens.get(part.token) ?? {}
    const share = t.percent(sharesBps / 10_000)
    const amount =
      units === null || token === ''
        ? t.text('receipt.tracker.share', { share, token })
        : t.token(units.toString(), decimals, token)
    const addressUrl = explorerUrl(view.chain, 'address', address)
    const transactionUrl = hash === null ? undefined : explorerUrl(view.chain, 'tx', hash)
    return html`<li><p class="whose"><strong>${name}</strong> ${addressUrl ? outsideLink(addressUrl, shortAddress(address)) : shortAddress(address)}</p><p class="what"><bdi>${amount}</bdi></p>
<p class="dim">${t.text(`receipt.tracker.part.${state}`)}${transactionUrl ? html` · ${outsideLink(transactionUrl, t.text('receipt.tracker.part-transaction'))}` : null}</p></li>`
  })
  return html`<details class="parts"><summary>${t.text('receipt.tracker.parts')}</summary><ul>${rows}</ul><p class="note">${t.text('receipt.tracker.parts-note')}</p></details>`
}

/** Returns whether the receipt can still change, so that an open page polls. */
export function isTracked({ tracker, refunds }: ReceiptView): boolean {
  return (
    tracker?.steps.some(({ state }) => state !== 'done') === true ||
    refunds.some(({ state }) => state === 'sent')
  )
}

/** Returns a version that changes when an open page must refresh. */
export function versionOf({ standing, tracker, refunds, payments }: ReceiptView): string {
  const steps = tracker?.steps.map(({ state }) => state) ?? []
  const parts = tracker?.parts.map(({ state }) => state) ?? []
  return [standing, payments.length, ...steps, ...parts, ...refunds.map(({ state }) => state)].join(' ')
}
