import { html, type SafeHtml } from '@remix-run/html-template'
import { type IconName, panelHead, type Tone } from '../html/parts.ts'
import type { MessageKey, Translator } from '../messages/translator.ts'

type StepName = Between<MessageKey, 'wallet.', '.title'>
type ActName = Between<MessageKey, 'wallet.act.', ''>
type Between<Key, Head extends string, Tail extends string> = Key extends `${Head}${infer Name}${Tail}`
  ? Name
  : never

const errors = [
  'unknown-chain',
  'unauthorized',
  'unsupported',
  'disconnected',
  'funds',
  'undone',
  'other',
] as const

const apiErrorNames = ['funds', 'approval', 'expired', 'under-way', 'unavailable', 'lost', 'other'] as const

/**
 * Renders the wallet steps as templates, so that the script contains no texts.
 *
 * The script fills the slots (`data-slot`) and removes `data-if` parts without a value. The same file serves
 * every receipt.
 */
export function walletSteps(t: Translator, { hasWalletConnect }: { hasWalletConnect: boolean }): SafeHtml {
  const steps = [...readySteps(t), ...signingSteps(t), ...payingSteps(t), ...sentSteps(t), ...endedSteps(t)]
  const texts = errors.map((name) => textTemplate(`fault-${name}`, t.text(`wallet.fault.${name}`)))
  const apiErrors = apiErrorNames.map((name) =>
    textTemplate(`fault-refused-${name}`, t.text(`wallet.refused.${name}`)),
  )
  const chain = textTemplate('unnamed-chain', t.html('wallet.unnamed-chain', { id: slot('id') }))
  return html`${texts}${apiErrors}${chain}${steps}${hasWalletConnect ? walletConnectSteps(t) : null}`
}

export function walletButtons(t: Translator): SafeHtml {
  const face = html`<img alt="" width="28" height="28"><span class="letter" aria-hidden="true">${slot('letter')}</span>`
  const label = t.html('wallet.pay-with', { wallet: slot('wallet') })
  return html`<template data-step="wallet-first"><li><button type="button" class="wallet" data-act="wallet">${face}<span>${label}</span></button></li><li class="hint">${t.text('wallet.more-hint')}</li></template>
<template data-step="wallet-more"><li><button type="button" class="wallet more" data-act="wallet">${face}<span class="hidden">${label}</span><span aria-hidden="true">${slot('wallet')}</span></button></li></template>
${textTemplate('browser-wallet', t.text('wallet.browser-wallet'))}${textTemplate('copy-by-hand', t.text('wallet.copy-by-hand'))}`
}

function textTemplate(name: string, content: SafeHtml | string): SafeHtml {
  return html`<template data-text="${name}">${content}</template>`
}

function readySteps(t: Translator): SafeHtml[] {
  const term = (key: MessageKey, value: SafeHtml) => html`<div><dt>${t.text(key)}</dt><dd>${value}</dd></div>`
  const change: Button = ['switch', 'switch']
  const rpc = html`<div data-if="rpc"><dt>${t.text('wallet.network-rpc')}</dt><dd>${slot('rpc')}</dd></div>`
  const facts = html`<details><summary>${t.text('wallet.network-facts')}</summary><dl class="facts split">${term('wallet.network-name', slot('chain'))}${term('wallet.network-id', slot('chainId'))}${rpc}${term('wallet.network-coin', slot('coin'))}</dl></details>`
  const amounts = (...rows: [MessageKey, string][]) =>
    html`<dl class="facts split">${rows.map(([key, name]) => term(key, amountSlot(name, t)))}</dl>`
  return [
    step(t, 'connecting', 'wait', 'wallet', [['retry', 'ask-again'], back], asking(t)),
    step(t, 'busy', 'wait', 'wallet', [['retry', 'go-on'], back]),
    step(t, 'wrong-network', 'wait', 'alert', [change, back]),
    step(t, 'switching', 'wait', 'wallet', [['switch', 'ask-again'], cancel], asking(t)),
    step(t, 'switch-refused', 'wait', 'alert', [change, back], facts),
    step(
      t,
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
      t,
      'no-gas',
      'bad',
      'alert',
      [['retry', 'check-again'], back],
      amounts(['wallet.have', 'have'], ['wallet.need-about', 'need']),
    ),
  ]
}

function signingSteps(t: Translator): SafeHtml[] {
  const sign: Button = ['sign', 'sign']
  const own: Button = ['own-fee', 'own-fee']
  const fee = html`<dl class="facts split"><div><dt>${t.text('wallet.need')}</dt><dd>${amountSlot('amount', t)}</dd></div><div><dt>${t.text('wallet.network-fee')}</dt><dd>${t.text('wallet.no-network-fee')}</dd></div></dl>`
  return [
    step(t, 'one-signature', 'wait', 'wallet', [sign, own, back], fee),
    step(t, 'signature-loading', 'wait', 'wallet', [back], waiting(t, 'wallet.waiting-service')),
    step(t, 'signature', 'wait', 'wallet', [['sign', 'reopen'], cancel], asking(t)),
    step(t, 'signature-permit', 'wait', 'wallet', [['sign', 'reopen'], cancel], asking(t)),
    step(t, 'signature-sending', 'wait', 'clock', [], waiting(t, 'wallet.waiting-service')),
    step(t, 'relaying', 'wait', 'clock', [], waiting(t, 'wallet.waiting-service')),
    step(t, 'signature-refused', 'bad', 'alert', [['sign', 'try-again'], own, back]),
    step(t, 'signature-unsupported', 'wait', 'alert', [['own-fee', 'own-fee'], back]),
  ]
}

/** None of these steps needs a page reload if the wallet's window is lost. */
function payingSteps(t: Translator): SafeHtml[] {
  const asks: Button[] = [['reopen', 'reopen'], cancel]
  const lost = html`<p class="note">${t.text('wallet.lost-window')}</p>`
  return [
    step(t, 'permit', 'wait', 'wallet', asks, asking(t)),
    step(t, 'approve', 'wait', 'wallet', asks, asking(t)),
    step(
      t,
      'approving',
      'wait',
      'clock',
      [back],
      html`${waiting(t, 'wallet.sent.waiting')}${transaction(t)}`,
    ),
    step(t, 'confirm', 'wait', 'wallet', asks, html`${asking(t)}${lost}`),
  ]
}

function sentSteps(t: Translator): SafeHtml[] {
  const again = html`<details><summary>${t.text('wallet.sent.not-there')}</summary><p>${t.text('wallet.sent.not-there-text')} <button type="button" class="quiet" data-act="forget">${t.text('wallet.act.start-again')}</button></p></details>`
  const twice = html`<p class="note" data-if="twice">${t.html('wallet.sent.twice', { wallet: slot('wallet') })}</p>`
  const rest = (key: MessageKey) => html`${waiting(t, key)}${transaction(t)}${twice}${again}`
  return [
    step(t, 'sent', 'wait', 'clock', [], rest('wallet.sent.waiting')),
    step(t, 'replaced', 'wait', 'clock', [], rest('wallet.sent.waiting')),
    step(t, 'stuck', 'wait', 'alert', [], rest('wallet.stuck.waiting')),
    html`<template data-step="maybe-sent">${panelHead('wait', 'alert', t.text('wallet.maybe-sent.title'), t.html('wallet.maybe-sent.text', gapsOf(t)))}${waiting(t, 'wallet.sent.waiting')}<p class="actions"><button type="button" class="quiet" data-act="retry">${t.text('wallet.maybe-sent.again')}</button></p></template>`,
  ]
}

function endedSteps(t: Translator): SafeHtml[] {
  const again: Button[] = [['retry', 'try-again'], back]
  return [
    step(t, 'rejected', 'plain', 'back', again),
    step(t, 'dropped', 'plain', 'back', again, transaction(t)),
    step(t, 'reverted', 'bad', 'cross', again, transaction(t)),
    step(t, 'wallet-error', 'bad', 'cross', again, rawMessage(t)),
  ]
}

function walletConnectSteps(t: Translator): SafeHtml[] {
  const code = html`<div class="pairing" data-code data-label="${t.text('wallet.walletconnect.code')}"></div><p class="actions"><a class="button" data-if="app" data-href="app">${t.text('wallet.act.open-app')}</a><button type="button" class="quiet" data-act="copy" data-copy-slot="uri" data-done="${t.text('wallet.walletconnect.copied')}">${t.text('wallet.walletconnect.copy')}</button></p>`
  return [
    step(t, 'walletconnect-loading', 'wait', 'wallet', [back], waiting(t, 'wallet.walletconnect.waiting')),
    step(t, 'walletconnect', 'wait', 'wallet', [back], code),
    step(t, 'walletconnect-failed', 'bad', 'alert', [['retry', 'try-again'], back], rawMessage(t)),
  ]
}

type Button = readonly [act: string, label: ActName]
const back: Button = ['back', 'other-ways']
const cancel: Button = ['back', 'cancel']

const actsWhileAsked: ReadonlySet<ActName> = new Set(['ask-again', 'reopen', 'cancel', 'other-ways'])

function step(
  t: Translator,
  name: StepName,
  tone: Tone,
  iconName: IconName,
  actions: readonly Button[],
  rest?: SafeHtml,
): SafeHtml {
  const gaps = gapsOf(t)
  const list = actions.map(
    ([act, label], i) =>
      html`<button type="button" class="${i === 0 && !actsWhileAsked.has(label) ? 'button' : 'quiet'}" data-act="${act}"><span>${t.html(`wallet.act.${label}`, gaps)}</span></button>`,
  )
  const [title, text] = [t.html(`wallet.${name}.title`, gaps), t.html(`wallet.${name}.text`, gaps)]
  return html`<template data-step="${name}">${panelHead(tone, iconName, title, text)}${rest}${list.length > 0 ? html`<p class="actions">${list}</p>` : null}</template>`
}

function transaction(t: Translator): SafeHtml {
  return html`<dl class="facts" data-if="hash"><div><dt>${t.text('wallet.transaction')}</dt><dd class="mono">${slot('hash')}</dd></div></dl><p class="more" data-if="explorer"><a data-href="explorer" target="_blank" rel="noopener noreferrer">${t.text('wallet.explorer')}</a></p>`
}

function rawMessage(t: Translator): SafeHtml {
  return html`<details data-if="message"><summary>${t.text('wallet.details')}</summary><p class="mono">${slot('message')}</p></details>`
}

function asking(t: Translator): SafeHtml {
  return html`${waiting(t, 'wallet.waiting')}<p class="actions" data-if="app"><a class="button" data-href="app">${t.text('wallet.act.open-app')}</a></p>`
}

function waiting(t: Translator, key: MessageKey): SafeHtml {
  return html`<p class="progress"><progress aria-label="${t.text(key)}"></progress>${t.text(key)}</p>`
}

/** `<bdi>` isolates the direction of third-party names. */
function slot(name: string): SafeHtml {
  return html`<bdi data-slot="${name}"></bdi>`
}

/** Gives an amount the page's direction: otherwise its Latin symbol would make it left-to-right. */
function amountSlot(name: string, { direction }: Translator): SafeHtml {
  return html`<bdi data-slot="${name}" dir="${direction}"></bdi>`
}

function gapsOf(t: Translator): Readonly<Record<string, SafeHtml>> {
  const names = ['wallet', 'current', 'symbol', 'coin', 'reason', 'chain', 'brand']
  const slots = names.map((name) => [name, slot(name)])
  return { ...Object.fromEntries(slots), amount: amountSlot('amount', t) }
}
