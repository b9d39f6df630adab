import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { merchantText, panelHead, type SignName, type Tone } from '../html/parts.ts'
import type { MessageKey } from '../messages/catalogue.ts'
import type { Translator } from '../messages/translator.ts'

/** The steps that have a title and a text in the catalogue. */
type StepName = Between<MessageKey, 'wallet.', '.title'>
type ActName = Between<MessageKey, 'wallet.act.', ''>
type Between<Key, Head extends string, Tail extends string> = Key extends `${Head}${infer Name}${Tail}`
  ? Name
  : never

/** The network of a payment, as a buyer would add it to a wallet by hand. */
type Chain = {
  readonly id: number
  readonly name: string
  readonly rpcUrl: string | null
  readonly coin: { readonly symbol: string }
}

/** What the steps are made of. */
type Made = { readonly t: Translator; readonly chain: Chain; readonly brand: SafeHtml }

const faults = [
  'unknown-chain',
  'unauthorized',
  'unsupported',
  'disconnected',
  'funds',
  'undone',
  'other',
] as const

/**
 * The panels of a payment through a wallet, for the script: it only picks one and fills its gaps (`data-slot`), so
 * that every word of the checkout is made here.
 *
 * What a gap is not filled for is left out: `data-if` names the gap.
 */
export function walletSteps(
  view: CheckoutView,
  { t, chain, hasWalletConnect }: Pick<Made, 't' | 'chain'> & { readonly hasWalletConnect: boolean },
): SafeHtml {
  const made = { t, chain, brand: merchantText(view.brandName) }
  const steps = [...readySteps(made), ...payingSteps(made), ...sentSteps(made), ...endedSteps(made)]
  return html`${buttons(t)}${texts(t)}${steps}${hasWalletConnect ? walletConnectSteps(made) : null}`
}

/** The buttons of the wallets, and the texts that the script shows elsewhere. */
function buttons(t: Translator): SafeHtml {
  const face = html`<img alt="" width="28" height="28"><span class="letter" aria-hidden="true">${slot('letter')}</span>`
  const label = t.html('wallet.pay-with', { wallet: slot('wallet') })
  return html`<template data-step="wallet-first"><li><button type="button" class="wallet" data-act="wallet">${face}<span>${label}</span></button></li><li class="hint">${t.text('wallet.more-hint')}</li></template>
<template data-step="wallet-more"><li><button type="button" class="wallet more" data-act="wallet">${face}<span class="hidden">${label}</span><span aria-hidden="true">${slot('wallet')}</span></button></li></template>`
}

function texts(t: Translator): SafeHtml {
  const text = (name: string, content: SafeHtml | string) =>
    html`<template data-text="${name}">${content}</template>`
  return html`${text('browser-wallet', t.text('wallet.browser-wallet'))}${text('copy-by-hand', t.text('wallet.copy-by-hand'))}${text('unnamed-chain', t.html('wallet.unnamed-chain', { id: slot('id') }))}${faults.map((name) => text(`fault-${name}`, t.text(`wallet.fault.${name}`)))}`
}

/** Until the wallet is ready to pay. */
function readySteps(made: Made): SafeHtml[] {
  const { t, chain } = made
  const term = (key: MessageKey, value: SafeHtml | string) =>
    html`<div><dt>${t.text(key)}</dt><dd>${value}</dd></div>`
  const change: Button = ['switch', 'switch']
  const facts = html`<details><summary>${t.text('wallet.network-facts')}</summary><dl class="facts split">${term('wallet.network-name', chain.name)}${term('wallet.network-id', String(chain.id))}${chain.rpcUrl ? term('wallet.network-rpc', chain.rpcUrl) : null}${term('wallet.network-coin', chain.coin.symbol)}</dl></details>`
  const amounts = (...rows: [MessageKey, string][]) =>
    html`<dl class="facts split">${rows.map(([key, name]) => term(key, slot(name)))}</dl>`
  return [
    step(made, 'connecting', 'wait', 'wallet', [['retry', 'ask-again'], back], asking(t)),
    step(made, 'busy', 'wait', 'wallet', [['retry', 'go-on'], back]),
    step(made, 'wrong-network', 'wait', 'alert', [change, back]),
    step(made, 'switching', 'wait', 'wallet', [['switch', 'ask-again'], cancel], asking(t)),
    step(made, 'switch-refused', 'wait', 'alert', [change, back], facts),
    step(
      made,
      'insufficient',
      'bad',
      'alert',
      [
        ['retry', 'check-again'],
        ['back', 'change'],
      ],
      amounts(['wallet.have', 'have'], ['wallet.need', 'need'], ['wallet.missing', 'missing']),
    ),
    step(
      made,
      'no-gas',
      'bad',
      'alert',
      [['retry', 'check-again'], back],
      amounts(['wallet.have', 'have'], ['wallet.need-about', 'need']),
    ),
  ]
}

/** While the wallet is asked. None of these needs the page reloaded where the wallet's window is lost. */
function payingSteps(made: Made): SafeHtml[] {
  const { t } = made
  const asks: Button[] = [['reopen', 'reopen'], cancel]
  const lost = html`<p class="note">${t.text('wallet.lost-window')}</p>`
  return [
    step(made, 'permit', 'wait', 'wallet', asks, asking(t)),
    step(made, 'approve', 'wait', 'wallet', asks, asking(t)),
    step(made, 'approving', 'wait', 'clock', [], html`${waiting(t, 'wallet.sent.waiting')}${transaction(t)}`),
    step(made, 'confirm', 'wait', 'wallet', asks, html`${asking(t)}${lost}`),
  ]
}

/** From when something has left the wallet until it is in a block. */
function sentSteps(made: Made): SafeHtml[] {
  const { t } = made
  const again = html`<details><summary>${t.text('wallet.sent.not-there')}</summary><p>${t.text('wallet.sent.not-there-text')} <button type="button" class="quiet" data-act="forget">${t.text('wallet.act.start-again')}</button></p></details>`
  const twice = html`<p class="note" data-if="twice">${t.html('wallet.sent.twice', { wallet: slot('wallet') })}</p>`
  const rest = (key: MessageKey) => html`${waiting(t, key)}${transaction(t)}${twice}${again}`
  return [
    step(made, 'sent', 'wait', 'clock', [], rest('wallet.sent.waiting')),
    step(made, 'replaced', 'wait', 'clock', [], rest('wallet.sent.waiting')),
    step(made, 'stuck', 'wait', 'alert', [], rest('wallet.stuck.waiting')),
    html`<template data-step="maybe-sent">${panelHead('wait', 'alert', t.text('wallet.maybe-sent.title'), t.html('wallet.maybe-sent.text', gaps(made)))}${waiting(t, 'wallet.sent.waiting')}<p class="actions"><button type="button" class="quiet" data-act="retry">${t.text('wallet.maybe-sent.again')}</button></p></template>`,
  ]
}

/** Where nothing was paid. */
function endedSteps(made: Made): SafeHtml[] {
  const { t } = made
  const again: Button[] = [['retry', 'try-again'], back]
  return [
    step(made, 'rejected', 'plain', 'back', again),
    step(made, 'dropped', 'plain', 'back', again, transaction(t)),
    step(made, 'reverted', 'bad', 'cross', again, transaction(t)),
    step(made, 'wallet-error', 'bad', 'cross', again, rawMessage(t)),
  ]
}

/** The way to a wallet outside this browser. */
function walletConnectSteps(made: Made): SafeHtml[] {
  const { t } = made
  const code = html`<div class="pairing" data-code data-label="${t.text('wallet.walletconnect.code')}"></div><p class="actions"><a class="button" data-if="app" data-href="app">${t.text('wallet.act.open-app')}</a><button type="button" class="quiet" data-act="copy" data-copy-slot="uri" data-done="${t.text('wallet.walletconnect.copied')}">${t.text('wallet.walletconnect.copy')}</button></p>`
  return [
    step(made, 'walletconnect-loading', 'wait', 'wallet', [back], waiting(t, 'wallet.walletconnect.waiting')),
    step(made, 'walletconnect', 'wait', 'wallet', [back], code),
    step(made, 'walletconnect-failed', 'bad', 'alert', [['retry', 'try-again'], back], rawMessage(t)),
  ]
}

/** An act of the script, and the words on its button. */
type Button = readonly [act: string, label: ActName]
const back: Button = ['back', 'other-ways']
const cancel: Button = ['back', 'cancel']

/** Where the next move is the wallet's, or away from it, no button is the main one. */
const actsWhileAsked: ReadonlySet<ActName> = new Set(['ask-again', 'reopen', 'cancel', 'other-ways'])

function step(
  made: Made,
  name: StepName,
  tone: Tone,
  signName: SignName,
  actions: readonly Button[],
  rest?: SafeHtml,
): SafeHtml {
  const { t, chain } = made
  const list = actions.map(
    ([act, label], i) =>
      html`<button type="button" class="${i === 0 && !actsWhileAsked.has(label) ? 'button' : 'quiet'}" data-act="${act}">${t.text(`wallet.act.${label}`, { chain: chain.name })}</button>`,
  )
  const [title, text] = [
    t.html(`wallet.${name}.title`, gaps(made)),
    t.html(`wallet.${name}.text`, gaps(made)),
  ]
  return html`<template data-step="${name}">${panelHead(tone, signName, title, text)}${rest}${list.length > 0 ? html`<p class="actions">${list}</p>` : null}</template>`
}

function gaps({ chain, brand }: Made): Readonly<Record<string, SafeHtml | string>> {
  const filled = ['wallet', 'current', 'amount', 'symbol', 'coin', 'reason'].map((name) => [name, slot(name)])
  return { ...Object.fromEntries(filled), chain: chain.name, brand }
}

function transaction(t: Translator): SafeHtml {
  return html`<dl class="facts" data-if="hash"><div><dt>${t.text('wallet.transaction')}</dt><dd class="mono">${slot('hash')}</dd></div></dl><p class="more" data-if="explorer"><a data-href="explorer" target="_blank" rel="noopener noreferrer">${t.text('wallet.explorer')}</a></p>`
}

function rawMessage(t: Translator): SafeHtml {
  return html`<details data-if="message"><summary>${t.text('wallet.details')}</summary><p class="mono">${slot('message')}</p></details>`
}

/** While the wallet has to answer; on a phone with the way to its app, where the wallet says how. */
function asking(t: Translator): SafeHtml {
  return html`${waiting(t, 'wallet.waiting')}<p class="actions" data-if="app"><a class="button" data-href="app">${t.text('wallet.act.open-app')}</a></p>`
}

function waiting(t: Translator, key: MessageKey): SafeHtml {
  return html`<p class="progress"><progress aria-label="${t.text(key)}"></progress>${t.text(key)}</p>`
}

function slot(name: string): SafeHtml {
  return html`<bdi data-slot="${name}"></bdi>`
}
