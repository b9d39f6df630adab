import { html, type SafeHtml } from '@remix-run/html-template'
import { claimLimits } from '@sluice/protocol/api/claims.ts'
import type { ClaimablePayment } from '../../payments/claims/find-claimable.ts'
import { sign } from '../html/parts.ts'
import type { MessageKey, Translator } from '../messages/translator.ts'
import { type ClaimSite, langField, linkTo } from './payment-facts.ts'

export type FormState = {
  readonly refundAddress: string
  readonly contact: string
  readonly note: string
  readonly errors: readonly FormError[]
}

/** An invalid field. `full` means that the payment has reached its claim limit. */
export type FormError = 'refundAddress' | 'contact' | 'note' | 'full'

export const emptyForm: FormState = { refundAddress: '', contact: '', note: '', errors: [] }

const errorTexts = {
  refundAddress: 'claim.form.bad-address',
  contact: 'claim.form.bad-contact',
  note: 'claim.form.bad-note',
  full: 'claim.form.full',
} as const satisfies Record<FormError, MessageKey>

/** Renders both ways to claim a payment: with the payer's signature, and without proof. */
export function claimForms(
  payment: ClaimablePayment,
  form: FormState,
  site: ClaimSite,
  t: Translator,
): SafeHtml {
  const isOpen = payment.payer === null || form.errors.length > 0
  return html`${payment.payer === null ? null : walletForm(payment, payment.payer, site, t)}
<details class="by-word"${isOpen ? html` open` : null}><summary><h2>${t.text('claim.form.title')}</h2></summary>
<p>${t.text('claim.form.text')}</p>
<form method="post" action="${linkTo(site, {})}" class="fields">
${langField(site)}<input type="hidden" name="hash" value="${payment.transactionHash}"><input type="hidden" name="log" value="${payment.logIndex}">
${errorSummary(form, t)}
${addressField(form, site, t)}
${contactField('contact', form, t)}
${noteField('note', form, t)}
<p class="actions"><button class="button">${t.text('claim.form.send')}</button></p>
</form></details>`
}

function walletForm(payment: ClaimablePayment, payer: string, site: ClaimSite, t: Translator): SafeHtml {
  const wallet = html`<span class="mono">${payer}</span>`
  const texts = Object.entries(stepTexts).map(
    ([name, key]) =>
      html`<template data-text="${name}">${t.html(key, { wallet, message: html`<bdi data-slot="message"></bdi>` })}</template>`,
  )
  return html`<section class="by-wallet" id="by-wallet" data-hash="${payment.transactionHash}" data-log="${payment.logIndex}" data-payer="${payer}" data-next="${linkTo(site, {}, '/claim/:id')}">
<h2>${t.text('claim.wallet.title')}</h2>
<p>${t.html('claim.wallet.text', { wallet })} ${t.text('claim.wallet.refund')}</p>
<form class="fields scripted" data-words>${contactField('wallet-contact', { ...emptyForm, isOptional: true }, t)}${noteField('wallet-note', emptyForm, t)}</form>
<p class="fault" data-fault role="alert" hidden></p>
<p class="standing wait" data-step hidden><span class="badge">${sign('wallet')}</span><span data-step-text></span></p>
<div class="wallets scripted" data-wallets><p class="dim" data-looking>${t.text('claim.wallet.looking')}</p></div>
<p class="dim" data-no-wallet hidden>${t.text('claim.wallet.none')}</p>
<noscript><p class="note">${t.text('claim.wallet.no-script')}</p></noscript>
<template data-wallet-button><button type="button" class="button"><img alt="" width="28" height="28"><span>${t.html('claim.wallet.sign', { wallet: html`<bdi data-slot="wallet"></bdi>` })}</span></button></template>
<template data-unnamed>${t.text('claim.wallet.unnamed')}</template>
${texts}
</section>`
}

const stepTexts = {
  connecting: 'claim.step.connecting',
  signing: 'claim.step.signing',
  sending: 'claim.step.sending',
  rejected: 'claim.fault.rejected',
  busy: 'claim.fault.busy',
  account: 'claim.fault.account',
  unproven: 'claim.fault.unproven',
  gone: 'claim.fault.gone',
  'too-many': 'claim.fault.too-many',
  unavailable: 'claim.fault.unavailable',
  wallet: 'claim.fault.wallet',
} as const satisfies Record<string, MessageKey>

function errorSummary({ errors }: FormState, t: Translator): SafeHtml | null {
  if (errors.length === 0) return null
  const texts = errors.map((error) => html`<li>${t.text(errorTexts[error])}</li>`)
  return html`<div class="fault" role="alert">${sign('alert')}<div><strong>${t.text('claim.form.faults')}</strong><ul>${texts}</ul></div></div>`
}

function addressField(form: FormState, { chain }: ClaimSite, t: Translator): SafeHtml {
  return html`<div><label for="refundAddress">${t.text('claim.form.address')}</label>
<input id="refundAddress" name="refundAddress" class="mono" value="${form.refundAddress}" required maxlength="60" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="refundAddress-hint"${invalid(form, 'refundAddress')}>
<p class="note" id="refundAddress-hint">${t.text('claim.form.address-hint', { network: chain.name })}</p></div>`
}

function contactField(
  id: string,
  form: FormState & { readonly isOptional?: boolean },
  t: Translator,
): SafeHtml {
  const label = form.isOptional ? 'claim.form.contact-optional' : 'claim.form.contact'
  return html`<div><label for="${id}">${t.text(label)}</label>
<input id="${id}" name="contact" value="${form.contact}"${form.isOptional ? null : html` required`} maxlength="${claimLimits.contact}" autocomplete="email" aria-describedby="${id}-hint"${invalid(form, 'contact')}>
<p class="note" id="${id}-hint">${t.text('claim.form.contact-hint')}</p></div>`
}

function noteField(id: string, form: FormState, t: Translator): SafeHtml {
  return html`<div><label for="${id}">${t.text('claim.form.note')}</label>
<textarea id="${id}" name="note" rows="3" maxlength="${claimLimits.note}" aria-describedby="${id}-hint"${invalid(form, 'note')}>${form.note}</textarea>
<p class="note" id="${id}-hint">${t.text('claim.form.note-hint')}</p></div>`
}

function invalid({ errors }: FormState, field: FormError): SafeHtml | null {
  return errors.includes(field) ? html` aria-invalid="true"` : null
}
