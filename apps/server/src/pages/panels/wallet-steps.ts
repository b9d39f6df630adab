import { html, type SafeHtml } from '@remix-run/html-template'
import { merchantText, panelHead, type SignName, type Tone } from '../html/parts.ts'

const wallet = slot('wallet')
const hash = html`<dl class="facts"><div><dt>Transaction</dt><dd class="mono">${slot('hash')}</dd></div></dl><p class="more"><a data-href="explorer" target="_blank" rel="noopener noreferrer">View on the block explorer</a></p>`

/**
 * The panels of a payment through a wallet in the browser. The script only picks one and fills
 * its gaps (`data-slot`), so that every word of the checkout is made here.
 */
export function walletSteps(chainName: string, brandName: string): SafeHtml {
  const steps = [...readySteps(chainName), ...payingSteps(brandName), ...endedSteps()]
  return html`${steps}<template data-step="wallet-button"><li><button type="button" class="wallet" data-act="wallet"><img alt="" width="28" height="28"><span>Pay with ${wallet}</span></button></li></template><template data-step="browser-wallet"><span>Browser wallet</span></template>`
}

/** Until the wallet is ready to pay. */
function readySteps(chainName: string): SafeHtml[] {
  return [
    step(
      'connecting',
      'wait',
      'wallet',
      'Open your wallet',
      html`${wallet} asks whether this page may see your account. This does not pay anything.`,
      actions('retry:Ask again', 'back:Other ways to pay'),
    ),
    step(
      'busy',
      'wait',
      'wallet',
      'Your wallet already has an open request',
      html`Open ${wallet} and answer the pending request there, then continue.`,
      actions('retry:Go on', 'back:Other ways to pay'),
    ),
    step(
      'wrong-network',
      'wait',
      'alert',
      'Your wallet is on another network',
      html`${wallet} is on <strong>${slot('current')}</strong>; this payment is on <strong>${chainName}</strong>.`,
      actions(`switch:Switch to ${chainName}`, 'back:Other ways to pay'),
    ),
    step(
      'switch-refused',
      'wait',
      'alert',
      `Switch to ${chainName} in your wallet`,
      html`The network was not changed. Open ${wallet}, choose <strong>${chainName}</strong> (chain id ${slot('chainId')}) in its list of networks, and the payment continues automatically.`,
      actions(`switch:Switch to ${chainName}`, 'back:Other ways to pay'),
    ),
    step(
      'insufficient',
      'bad',
      'alert',
      html`Not enough ${slot('symbol')}`,
      html`This account in ${wallet} does not hold the required amount. Nothing was sent.`,
      html`<dl class="facts split"><div><dt>You have</dt><dd>${slot('have')}</dd></div><div><dt>You need</dt><dd>${slot('need')}</dd></div><div><dt>Missing</dt><dd>${slot('missing')}</dd></div></dl>${actions('retry:Check again', 'back:Choose another token or wallet')}`,
    ),
    step(
      'no-gas',
      'bad',
      'alert',
      html`Not enough ${slot('coin')} for the network fee`,
      html`There is enough to pay, but the network itself takes a small fee in ${slot('coin')}, and this account in ${wallet} does not hold enough for it. Nothing was sent.`,
      html`<dl class="facts split"><div><dt>You have</dt><dd>${slot('have')}</dd></div><div><dt>You need about</dt><dd>${slot('need')}</dd></div></dl>${actions('retry:Check again', 'back:Other ways to pay')}`,
    ),
  ]
}

/** While the wallet is asked, and until its transaction is in a block. */
function payingSteps(brandName: string): SafeHtml[] {
  return [
    step(
      'approve',
      'wait',
      'wallet',
      'Step 1 of 2: approve the amount',
      html`Confirm in ${wallet} that this payment may take <strong>${slot('amount')}</strong>. The payment itself follows. To stop, decline it there.`,
    ),
    step(
      'approving',
      'wait',
      'clock',
      'Step 1 of 2: waiting for the approval',
      html`As soon as the approval is in a block, ${wallet} asks for the payment itself.`,
      hash,
    ),
    step(
      'confirm',
      'wait',
      'wallet',
      'Confirm in your wallet',
      html`${wallet} shows a payment of <strong>${slot('amount')}</strong>. Check it and confirm. To stop, decline it there.`,
    ),
    step(
      'sent',
      'wait',
      'clock',
      'Payment sent',
      html`Waiting for the network to include it. You can close this page: ${merchantText(brandName)} will be notified.`,
      html`<p class="progress"><progress aria-label="Waiting for the network"></progress>Waiting for the first block</p>${hash}<details><summary>Payment not showing up?</summary><p>Only if your wallet shows that the transaction failed or was cancelled: <button type="button" class="quiet" data-act="forget">Start again</button></p></details>`,
    ),
  ]
}

/** Where nothing was paid. */
function endedSteps(): SafeHtml[] {
  return [
    step(
      'rejected',
      'plain',
      'back',
      'Nothing was charged',
      html`The request was declined in ${wallet}.`,
      actions('retry:Try again', 'back:Other ways to pay'),
    ),
    step(
      'reverted',
      'bad',
      'cross',
      'The transaction did not go through',
      html`The network reverted it: nothing was charged except the network fee. You can try again.`,
      html`${hash}${actions('retry:Try again', 'back:Other ways to pay')}`,
    ),
    step(
      'wallet-error',
      'bad',
      'cross',
      'The wallet reported an error',
      html`${wallet} says: <q>${slot('message')}</q> Nothing was charged.`,
      actions('retry:Try again', 'back:Other ways to pay'),
    ),
  ]
}

function step(
  name: string,
  tone: Tone,
  signName: SignName,
  title: SafeHtml | string,
  text: SafeHtml,
  rest?: SafeHtml,
): SafeHtml {
  return html`<template data-step="${name}">${panelHead(tone, signName, title, text)}${rest}</template>`
}

function slot(name: string): SafeHtml {
  return html`<bdi data-slot="${name}"></bdi>`
}

/** Buttons, the first of them the main one; `act:Label`. */
function actions(...buttons: string[]): SafeHtml {
  const list = buttons.map((button, i) => {
    const [act = '', label = ''] = button.split(':')
    return html`<button type="button" class="${i === 0 && act !== 'back' ? 'button' : 'quiet'}" data-act="${act}">${label}</button>`
  })
  return html`<p class="actions">${list}</p>`
}
