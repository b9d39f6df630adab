import type { BrowserContextOptions } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { newWallet } from '../support/api/sessions.ts'
import { bottomOf, phone } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { checkoutStates, openState } from '../support/browser/checkout-states.ts'
import { addresses, paidAs, tokens, type ViewChanges } from '../support/browser/checkout-views.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { TestWallet, type TestWalletOptions } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage({ walletConnectProject: 'test-project' }))
beforeEach(() => {
  stage.harness.site.walletConnectProject = undefined
})

const makeWallet = (options: Partial<TestWalletOptions> = {}) =>
  new TestWallet({ privateKey: newWallet().privateKey, rpcUrl: stage.harness.url, ...options })

const small: BrowserContextOptions = { viewport: { width: 360, height: 740 } }
/** Languages with long words or right-to-left text. */
const languages = ['en', 'de', 'ar'] as const
const token = (symbol: string, decimals: number) => ({
  symbol,
  name: symbol,
  decimals,
  address: addresses.usdc,
  estimate: '25000000',
})
/** The tallest content above the main button: every token, and a shop to return to. */
const full: ViewChanges = {
  tokens: [...tokens, token('USDT', 6), token('cbBTC', 8), token('cbXRP', 6)],
  shopUrl: 'https://shop.example/',
}
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `Article number ${i + 1}, in a box`, priceUsd: 1 }))

describe('the first screen of a phone', () => {
  const ways = [
    { where: 'by its wallet app', device: phone, main: '[data-no-wallet] .button', hasWallet: false },
    { where: 'in the browser of a wallet', device: phone, main: '.wallet', hasWallet: true },
    { where: 'in a narrow window', device: {}, main: '.wallet', hasWallet: true },
  ]
  const viewports = [
    { width: 360, height: 740 },
    { width: 390, height: 844 },
  ]
  it.each(
    ways.flatMap((way) => [1, 14].map((lineCount) => ({ ...way, lineCount }))),
  )('has who, what, heading, total and the whole main button, $where with $lineCount lines, in each language', async ({
    device,
    main,
    hasWallet,
    lineCount,
  }) => {
    const url = stage.harness.put('screen', { ...full, lineItems: linesOf(lineCount) })
    const wallets = hasWallet ? [makeWallet({ name: 'Kestrel' })] : []
    const buyer = await stage.open('about:blank', { ...device, wallets })
    for (const viewport of viewports) {
      await buyer.page.setViewportSize(viewport)
      for (const language of languages) {
        await buyer.page.goto(`${url}?lang=${language}`)
        await buyer.page.locator(main).filter({ visible: true }).first().waitFor()
        const parts = ['.strip', 'h1', '.order > summary strong', '.order > summary bdi', 'h2', main]
        for (const part of parts)
          expect(
            await bottomOf(buyer.page, `${part}:visible`),
            `${part}, ${language}, ${viewport.width}`,
          ).toBeLessThanOrEqual(viewport.height)
      }
    }
    await buyer.close()
  })
})

describe('what folds', () => {
  it('on a phone is closed: the order behind its total, the code behind the rows to copy', async () => {
    const buyer = await stage.open(stage.harness.put('folds'), { ...phone, ...small })
    const { page } = buyer
    const isShown = (selector: string) =>
      page.evaluate<boolean>(
        `document.querySelector('${selector}').checkVisibility({ contentVisibilityAuto: true })`,
      )
    expect(await isShown('.lines')).toBe(false)
    expect(await isShown('.qr')).toBe(false)
    expect(await page.locator('.order > summary strong').innerText()).toBe('$25.00')
    await page.locator('.order > summary').click()
    expect(await isShown('.lines')).toBe(true)
    await page.getByText('Pay from another device').click()
    expect(await isShown('.qr')).toBe(true)
    expect(await readQr(page.locator('.code.link svg'))).toContain('ethereum:')
    const rows = await page.locator('.rows').boundingBox()
    expect(rows?.y).toBeLessThan((await page.locator('.qr').first().boundingBox())?.y ?? 0)
    await buyer.close()
  })

  it('where there is room lies open, and has nothing to press', async () => {
    const buyer = await stage.open(stage.harness.put('open'), {
      viewport: { width: 1280, height: 900 },
    })
    expect(await buyer.page.locator('.lines li').first().isVisible()).toBe(true)
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('ethereum:')
    expect(await buyer.page.locator('.fold > summary:visible').count()).toBe(0)
    await buyer.close()
  })
})

describe('the page', () => {
  it.each(
    [1280, 360].flatMap((width) =>
      [true, false].flatMap((hasWallet) =>
        [true, false].map((hasConnect) => ({ width, hasWallet, hasConnect })),
      ),
    ),
  )('at $width px moves nothing after its first paint, with a wallet: $hasWallet, with WalletConnect: $hasConnect', async ({
    width,
    hasWallet,
    hasConnect,
  }) => {
    stage.harness.site.walletConnectProject = hasConnect ? 'test-project' : undefined
    const device = width < 600 ? phone : {}
    const wallets = hasWallet ? [makeWallet({ kind: 'late' })] : []
    const buyer = await stage.open(stage.harness.put('still', full), {
      ...device,
      viewport: { width, height: 740 },
      wallets,
    })
    const last = hasWallet ? 'Test Wallet' : hasConnect ? 'WalletConnect' : undefined
    await buyer.page.locator(last ? `.wallet:has-text("${last}")` : '[data-no-wallet]:visible').waitFor()
    expect(await buyer.page.evaluate(layoutShift)).toBeLessThanOrEqual(0.02)
    await buyer.close()
  })

  it('point 36: every target is 24 pixels at least, the main ones 44, in every state', async () => {
    let count = 0
    for (const device of [
      { ...phone, viewport: { width: 320, height: 700 } },
      { viewport: { width: 1280, height: 900 } },
    ]) {
      const buyer = await stage.open('about:blank', device)
      for (const name of Object.keys(checkoutStates)) {
        await openState(stage.harness, buyer.page, name)
        const sizes = await buyer.page.evaluate<Target[]>(targets)
        count += sizes.length
        for (const { text, height, width, isMain } of sizes) {
          expect(height, `${name}: ${text}`).toBeGreaterThanOrEqual(isMain ? 44 : 24)
          expect(width, `${name}: ${text}`).toBeGreaterThanOrEqual(24)
        }
      }
      await buyer.close()
    }
    expect(count).toBeGreaterThan(500)
  })

  it('point 38: nothing scrolls sideways at 320 pixels, nor at four times the size, in any state, whatever is written', async () => {
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    const long = 'W'.repeat(180)
    const url = stage.harness.put('narrow', {
      ...full,
      brandName: long,
      lineItems: [{ label: long, priceUsd: 1_000_000_000 }],
    })
    for (const height of [700, 256]) {
      const buyer = await stage.open(url, { viewport: { width: 320, height } })
      await buyer.page.locator('.order > summary').click()
      expect(await buyer.page.evaluate(overflow)).toBe(0)
      for (const name of Object.keys(checkoutStates)) {
        await openState(stage.harness, buyer.page, name)
        expect(await buyer.page.evaluate(overflow), name).toBe(0)
      }
      await buyer.close()
    }
  })

  it('point 39: moves nothing where less motion was asked for; dark or light, the code is dark on white', async () => {
    const url = stage.harness.put('calm', paidAs('seen'))
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const buyer = await stage.open(url, { reducedMotion })
      const count = await buyer.page.evaluate<number>('document.getAnimations().length')
      expect([reducedMotion, count > 0]).toEqual([reducedMotion, reducedMotion === 'no-preference'])
      await buyer.close()
    }
    const dark = await stage.open(stage.harness.put('dark'), { colorScheme: 'dark' })
    expect(await dark.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(14, 21, 23)',
    )
    expect(await readQr(dark.page.locator('.code.link svg'))).toContain('ethereum:')
    await dark.close()
  })

  it.each([
    'light',
    'dark',
  ] as const)('point 35: in %s the focus is ringed with 3 to 1 at least, and nothing lies over it', async (colorScheme) => {
    const buyer = await stage.open(stage.harness.put('focus', full), {
      colorScheme,
      wallets: [makeWallet()],
      viewport: { width: 1280, height: 500 },
    })
    await buyer.page.locator('.wallet').waitFor()
    let stops = 0
    for (;;) {
      await buyer.page.keyboard.press('Tab')
      if (await buyer.page.evaluate<boolean>('document.activeElement === document.body')) break
      const { name, contrast, isCovered } = await buyer.page.evaluate<Ring>(ringOfFocus)
      expect(contrast, name).toBeGreaterThanOrEqual(3)
      expect(isCovered, name).toBe(false)
      stops++
    }
    expect(stops).toBeGreaterThan(15)
    await buyer.close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})

type Ring = { name: string; contrast: number; isCovered: boolean }

type Target = { text: string; height: number; width: number; isMain: boolean }

const targets = `
  [...document.querySelectorAll('a, button, summary, .tabs label')]
    .filter((it) => it.checkVisibility({ contentVisibilityAuto: true }) && !it.matches('.skip, p:not(.actions, .leaving) a:not(.claimable a)'))
    .map((it) => ({ text: it.textContent, height: it.getBoundingClientRect().height,
      width: it.getBoundingClientRect().width,
      isMain: it.matches('.button, .wallet, .app, .tokens a, .tabs label, summary') }))`

/** Returns the cumulative layout shift without user input. */
const layoutShift = `
  new Promise((resolve) => {
    let sum = 0
    const add = (list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
    }
    new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
  })`

/** Returns the contrast between the focus ring and its background, and whether an element covers the ring. */
const ringOfFocus = `(() => {
  const focused = document.activeElement
  const ringed = focused.matches('input') ? focused.nextElementSibling : focused
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const luminance = (colour) => {
    const [r, g, b] = parse(colour).map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  let behind = ringed.parentElement
  while ((parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0 && behind.parentElement) behind = behind.parentElement
  const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(ringed)
  const lights = [luminance(outlineColor), luminance(getComputedStyle(behind).backgroundColor)].sort((a, b) => b - a)
  const isRinged = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  const { x, y, width, height } = ringed.getClientRects()[0]
  const top = document.elementFromPoint(x + width / 2, y + height / 2)
  return {
    name: focused.outerHTML.slice(0, 80),
    contrast: isRinged ? (lights[0] + 0.05) / (lights[1] + 0.05) : 0,
    isCovered: !(top && (ringed.contains(top) || top.contains(ringed) || top === focused)),
  }
})()`
