import { html, type SafeHtml } from '@remix-run/html-template'
import type { Translator } from '../messages/translator.ts'

/** What the script shows where a merchant's script asks to go on to another page; `data-slot` is where to. */
export function leaveStep(t: Translator): SafeHtml {
  const seconds = html`<span data-seconds>5</span>`
  return html`<template data-step="leave"><div class="return"><a class="button" data-return data-href="url"><span>${t.html('wallet.leave.button', { host: html`<bdi data-slot="host"></bdi>` })}</span></a>
<p class="leaving" data-countdown data-say="${t.text('wallet.leave.said')}" hidden><span>${t.html('wallet.leave.countdown', { seconds })}</span> <button type="button" class="quiet" data-act="stay">${t.text('wallet.act.cancel')}</button></p></div></template>`
}
