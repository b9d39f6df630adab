import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageStand } from '../support/browser/page-stand.ts'
import { openState, pageStates } from '../support/browser/page-states.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const stand = perFile(startPageStand)
const browser = perFile(openBrowser)
const options = { reducedMotion: 'reduce' } as const
const visitor = perFile(() => openAsBuyer(browser, 'about:blank', options))

const looks = [1280, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
const states = Object.keys(pageStates).filter((name) => name !== 'embed-button')

const says: Readonly<Record<string, string>> = {
  'receipt-paid': 'Paid',
  'receipt-on-its-way': 'Becoming final',
  'receipt-held': 'Distributed',
  'receipt-reversed': 'Paid, under review',
  'receipt-refund-requested': 'Refund requested',
  'receipt-partly-refunded': 'Partially refunded',
  'receipt-refunded': 'Refunded',
  'receipt-private': 'Ada Lovelace',
  'receipt-many-lines': 'no. 15',
  'receipt-without-chain': 'Paid',
  'receipt-several-payments': 'and 3 smaller payments',
  'receipt-unpaid': 'has not been paid yet',
  'receipt-bank-pending': 'bank',
  'receipt-cancelled': 'The checkout shows what was paid',
  'claim-search': 'Find payment',
  'claim-no-hash': 'not a transaction hash',
  'claim-nothing': 'no unmatched payment found',
  'claim-found': 'Payment found',
  'claim-no-wallet': 'Payment found',
  'claim-several': '2 payments found',
  'claim-unknown-token': 'Payment found',
  'claim-signing': 'Payment found',
  'claim-rejected': 'Payment found',
  'claim-bad-form': 'Payment found',
  'case-open': 'Claim sent to the merchant',
  'case-applied': 'claim',
  'case-refunded': 'refund',
  'case-unconfirmed': 'refund',
  'case-kept': 'claim',
  'case-orphaned': 'claim',
  'case-unknown': 'not found',
  'store-grid': 'Harbour Coffee Roasters',
  'store-featured': 'Ethiopia Guji',
  'store-groups': 'Brewing gear',
  'store-carousel': 'Brewing gear',
  'store-restaurant': 'Starters',
  'store-hotel': 'Garden room',
  'store-hotel-dates': '3 nights',
  'store-hotel-wrong-dates': 'Garden room',
  'store-freelancer': 'Brand identity',
  'store-search': 'Results for',
  'store-nothing-found': 'Results for',
  'store-category': 'Night Watch',
  'store-added': 'is in your cart',
  'store-product': 'The house espresso',
  'store-scarce': 'Only 3 left',
  'store-sold-out': 'Sold out',
  'store-room': 'Garden room',
  'store-service': 'Brand identity',
  'store-cart': 'Night Watch',
  'store-cart-corrected': 'Colombia La Palma',
  'store-cart-stay': 'Garden room',
  'store-cart-empty': 'empty',
  'store-empty': 'Harbour',
  'store-cannot-sell': 'Harbour',
  'store-paid': 'Thank you',
  'store-not-for-sale': 'Product not available',
  'store-no-shop': 'Shop not found',
  'sandbox-card': 'Test cards',
  'sandbox-bank': 'Test bank accounts',
  'sandbox-again': 'The last payment failed: Your card or bank account has insufficient funds',
  'sandbox-wrong': 'not a test card',
  'sandbox-accepted': 'Payment accepted',
  'sandbox-ach-pending': 'Bank debit accepted',
  'sandbox-settled': 'Payment complete',
  'sandbox-returned': 'The bank returned the debit',
  'sandbox-blocked': 'The payment failed',
  start: 'accept crypto payments',
  'start-local': 'demo',
  'unknown-page': 'Page not found',
  'no-receipt': 'not found',
  'too-many': 'Try again',
  'out-of-order': 'Try again',
  'embed-button': 'Pay $25.00',
  'embed-open': 'Pay $25.00',
}

/** Pages that show a rejected form again, with status 400. */
const refused = ['claim-bad-form', 'sandbox-wrong']

type Findings = Record<
  'violations' | 'targets' | 'overflow' | 'brightness' | 'motion' | 'problems',
  unknown[]
>

describe.each(states)('%s', (name) => {
  let found: Findings
  beforeAll(async () => {
    found = await inspect(name)
  })

  test('point 33: axe finds no violation of WCAG 2.2 AA, wide and narrow, light and dark', () => {
    expect(found.violations).toEqual([])
  })
  test('point 36: every target is 24 pixels high and wide, the main ones 44 high', () => {
    expect(found.targets).toEqual([])
  })
  test('point 38: nothing has to be scrolled sideways at 320 pixels', () => {
    expect(found.overflow).toEqual([])
  })
  test('point 39: nothing moves where less motion is asked for, and dark is dark', () => {
    expect(found.motion).toEqual([])
    expect(found.brightness).toEqual([])
  })
  test('point 44: the console has no error, and the policy nothing to report', () => {
    expect(found.problems).toEqual([])
  })
})

test('a document that was clean is looked at again: for what another look breaks, and whole where it shows more', async () => {
  const { page, close } = await openAsBuyer(browser, 'about:blank', options)
  await page.setContent(`<!doctype html><html lang="en"><title>Page</title><style>
    @media (prefers-color-scheme: dark) { p { color: #eee } }
    @media (min-width: 400px) { input { display: none } }
    </style><main><h1>Page</h1><p>Text</p><input></main></html>`)
  const seenIn = async (colorScheme: 'light' | 'dark', width: number) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 700 })
    return (await violations(page)).map((error) => error.split(':')[0])
  }
  expect(await seenIn('light', 800)).toEqual([])
  expect(await seenIn('dark', 800)).toEqual(['color-contrast'])
  expect(await seenIn('light', 320)).toEqual(['label'])
  await close()
})

async function inspect(name: string): Promise<Findings> {
  const state = pageStates[name]
  const isAlone = state?.act !== undefined || state?.cookie !== undefined || state?.initScript !== undefined
  const buyer = isAlone ? await openAsBuyer(browser, 'about:blank', options) : visitor
  const { page, problems } = buyer
  problems.length = 0
  const found: Findings = {
    violations: [],
    targets: [],
    overflow: [],
    brightness: [],
    motion: [],
    problems,
  }
  try {
    await openState(page, stand, name)
    expect((await page.locator('body').innerText()).toLowerCase()).toContain(
      (says[name] ?? 'the text of a new state').toLowerCase(),
    )
    await page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const seenAs = (what: unknown) => `${width} px, ${colorScheme}: ${what}`
      found.violations.push(...(await violations(page)).map(seenAs))
      found.targets.push(...(await smallTargets(page)).map(seenAs))
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      const wider = await page.evaluate<number>(overflow)
      if (wider !== 0) found.overflow.push(seenAs(wider))
      const brightness = await brightnessOf(page)
      if (colorScheme === 'dark' ? brightness > 60 : brightness < 200)
        found.brightness.push(seenAs(brightness))
    }
    const buttons = page.locator('.button:visible, .quiet:visible, .add:visible')
    if ((await buttons.count()) > 0) await buttons.last().hover()
    if ((await page.evaluate('document.getAnimations().length')) !== 0) found.motion.push('on hover')
    // The browser also logs the status of the page itself.
    const status = refused.includes(name) ? 400 : (state?.status ?? 'none')
    found.problems = problems.filter((text) => !text.includes(`status of ${status}`))
    return found
  } finally {
    if (isAlone) await buyer.close()
  }
}

/** Returns click targets that are too small. A product's link covers its whole entry. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('a, button, summary, input:not([type=hidden]), select, textarea')]
      .filter((it) => it.checkVisibility() && !it.matches('.skip, .hidden, h3 a'))
      .map((it) => ({ it, box: it.getBoundingClientRect() }))
      .filter(({ it, box }) => box.width < 24 || box.height < (it.matches('.button, .quiet, .add, .cart-link, input') ? 44 : 24))
      .map(({ it, box }) => it.outerHTML.slice(0, 120) + ' ' + box.width + ' x ' + box.height)`)
}

function brightnessOf(page: Page): Promise<number> {
  return page.evaluate<number>(`
    Math.max(...getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number))`)
}
