import type { Page } from 'playwright-core'
import { claimStates } from './claim-states.ts'
import type { PageStand } from './page-stand.ts'
import type { PageState } from './page-state.ts'
import { receiptStates } from './receipt-states.ts'
import { sandboxStates } from './sandbox-states.ts'
import { siteStates } from './site-states.ts'
import { storeStates } from './store-states.ts'

/** Every state of the pages beside the checkout. */
export const pageStates: Readonly<Record<string, PageState>> = {
  ...receiptStates,
  ...claimStates,
  ...storeStates,
  ...sandboxStates,
  ...siteStates,
}

/** Puts a state there and opens it in `page`, in this language, as its buyer sees it at last. */
export async function openState(page: Page, stand: PageStand, name: string, language = 'en'): Promise<void> {
  const state = pageStates[name]
  if (!state) throw new Error(`there is no state ${name}: ${Object.keys(pageStates).join(', ')}`)
  restore(stand)
  const url = new URL(state.put(stand))
  if (language !== 'en') url.searchParams.set('lang', language)
  if (state.initScript) await page.addInitScript(state.initScript)
  if (state.cookie) await page.context().addCookies([{ name: 'cart', value: state.cookie, url: url.origin }])
  const answer = await page.goto(url.href, { waitUntil: 'load' })
  const status = state.status ?? 200
  if (answer?.status() !== status)
    throw new Error(`${name} was answered with ${answer?.status()}, not ${status}`)
  await state.act?.(page)
  await page.evaluate('document.fonts.ready')
}

/** What an earlier state left behind on a stand. */
function restore({ pages }: PageStand): void {
  delete pages.service.fault
  delete pages.service.refusal
  delete pages.claims.fault
  pages.service.hasDemoWallet = false
  pages.claims.payments = []
  pages.orders.clear()
  pages.sandbox.clear()
}
