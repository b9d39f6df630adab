import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeTheme } from '../../src/pages/theme/make-theme.ts'
import { plainTheme } from '../../src/pages/theme/page-theme.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer, phone } from '../support/browser/checkout-browser.ts'
import { makeAttempt, type ViewChanges } from '../support/browser/checkout-views.ts'
import { type PageHarness, startPageHarness } from '../support/browser/page-harness.ts'
import { hostileTheme, logoPicture, type ThemeName, themes } from '../support/browser/themes.ts'
import { findFaintText, violations } from '../support/browser/violations.ts'

let harness: PageHarness
let browser: TestBrowser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startPageHarness(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})
afterEach(() => {
  harness.looks.theme = plainTheme
  delete harness.looks.picture
})

const schemes = ['light', 'dark'] as const
const full = {
  token: 'USDC',
  decimals: 6,
  due: '25000000',
  received: '25000000',
  transactionHash: `0x${'5e'.repeat(32)}`,
}
const states: Record<string, ViewChanges | ((now: number) => ViewChanges)> = {
  pay: {},
  short: (now) => ({
    attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
    payment: { ...full, state: 'short', received: '15000001', missing: '9999999' },
  }),
  pending: { payment: { ...full, state: 'seen', confirmations: 1, requiredConfirmations: 3 } },
  paid: { status: 'paid', payment: { ...full, state: 'paid' }, returnUrl: 'https://shop.example/' },
  expired: { payment: { state: 'expired' } },
  failed: { status: 'failed' },
}

function styleOf(page: Page, selector: string, property: string): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
}

type Findings = Record<'faint' | 'violations' | 'problems', unknown[]>

async function inspect(themeName: ThemeName): Promise<Findings> {
  harness.looks.theme = themes[themeName]
  const { page, problems, close } = await openAsBuyer(browser, 'about:blank')
  // A paid checkout redirects to the shop after five seconds. An empty response keeps the page open.
  await page.route('https://shop.example/**', (route) => route.fulfill({ status: 204 }))
  const found: Findings = { faint: [], violations: [], problems }
  for (const [state, changes] of Object.entries(states)) {
    await page.goto(`${harness.put(`${themeName}-${state}`, changes)}?keep`)
    await page.locator('#panel').waitFor()
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      // Removes the hover state.
      await page.mouse.move(0, 0)
      const seenAs = (what: unknown) => `${state}, ${colorScheme}: ${what}`
      found.violations.push(...(await violations(page)).map(seenAs))
      found.faint.push(...(await findFaintText(page)).map(seenAs))
      const pressed = page.locator('main .button:visible, main .copy:visible, main a:visible').first()
      if ((await pressed.count()) > 0) await pressed.hover()
      found.faint.push(...(await findFaintText(page)).map((it) => seenAs(`hovered, ${it}`)))
    }
    const stay = page.locator('[data-act=stay]:visible')
    if ((await stay.count()) > 0) await stay.click()
  }
  await close()
  return found
}

describe.each(Object.keys(themes) as ThemeName[])('point 42: the checkout in a theme', (name) => {
  let found: Findings
  beforeAll(async () => {
    found = await inspect(name)
  })

  test(`${name} can be read, whatever was chosen`, () => {
    expect(found.faint).toEqual([])
    expect(found.problems).toEqual([])
  })
  test(`${name} is clean by axe`, () => {
    expect(found.violations).toEqual([])
  })
})

describe('point 42: the checkout in a theme', () => {
  test('text that cannot be read is found by the measure of these tests', async () => {
    const { page, close } = await openAsBuyer(browser, harness.put('plain'))
    await page.evaluate(`document.querySelector('h1').style.color = '#aaa'`)
    expect(await findFaintText(page)).not.toEqual([])
    await close()
  })
})

describe('the colours of a merchant', () => {
  test('are those of its buttons and links', async () => {
    harness.looks.theme = themes.berry
    const { page, close } = await openAsBuyer(
      browser,
      `${harness.put('expired', { payment: { state: 'expired' } })}?keep`,
    )
    const colours = await page.evaluate(`(() => {
      const style = getComputedStyle(document.documentElement)
      return ['--primary', '--accent', '--ink'].map((name) => style.getPropertyValue(name))
    })()`)
    expect(colours).toEqual(['#9d174d', '#9d174d', '#3b0a1f'])
    expect(await styleOf(page, '.button', 'backgroundColor')).toBe('rgb(157, 23, 77)')
    await close()
  })

  test('nobody chose leave the style sheet alone', async () => {
    const { page, close } = await openAsBuyer(browser, harness.put('plain'))
    expect(await page.locator('style').count()).toBe(0)
    await close()
  })
})

describe('a font', () => {
  test.each(pageFonts)('%s is ours, is used, and moves nothing when it comes', async (name) => {
    harness.looks.theme = makeTheme({ brandName: 'Fonts', fontFamily: name })
    const { page, problems, close } = await openAsBuyer(browser, harness.put('font'))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    // A page uses a cached font immediately. The first page may render before the font is loaded.
    await page.evaluate(`document.fonts.load('16px "${name}"')`)
    await page.reload()
    await expect
      .poll(() =>
        page.evaluate(
          `[...document.fonts].some((face) => face.family.includes('${name}') && face.status === 'loaded')`,
        ),
      )
      .toBe(true)
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain(name)
    expect(asked.every((url) => url.startsWith(harness.url))).toBe(true)
    const shift = await page.evaluate(`new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value }).observe({ type: 'layout-shift', buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
    })`)
    expect(shift).toBeLessThanOrEqual(0.02)
    expect(problems).toEqual([])
    await close()
  })

  test('that we do not have is the one of the system, and nothing is fetched for it', async () => {
    harness.looks.theme = makeTheme({ brandName: 'Fonts', fontFamily: 'Comic Sans MS' })
    const { page, close } = await openAsBuyer(browser, harness.put('font'))
    expect(await page.locator('link[rel=preload]').count()).toBe(0)
    expect(await page.evaluate('document.fonts.size')).toBe(0)
    await close()
  })
})

describe('a logo', () => {
  test.each([
    ['berry', '50%'],
    ['night', '10px'],
  ] as const)('of the theme %s is shown in its shape', async (name, radius) => {
    harness.looks.theme = themes[name]
    harness.looks.picture = await logoPicture()
    const { page, problems, close } = await openAsBuyer(browser, harness.put('logo'), phone)
    await expect.poll(() => page.evaluate(`document.querySelector('img.mark').naturalWidth > 0`)).toBe(true)
    expect(await styleOf(page, 'img.mark', 'borderRadius')).toBe(radius)
    expect(problems).toEqual([])
    await close()
  })

  test('that cannot be had is the initial letter, and no broken picture', async () => {
    harness.looks.theme = themes.berry
    const { page, problems, close } = await openAsBuyer(browser, harness.put('logo'))
    await expect.poll(() => page.evaluate(`document.querySelector('img.mark').naturalWidth > 0`)).toBe(true)
    expect(problems).toEqual([])
    await close()
  })
})

describe('what a merchant writes into its theme', () => {
  const hostile = [
    '</style><script>globalThis.hurt = 1</script>',
    '</title><img src=x onerror="globalThis.hurt = 1">',
    '"><svg onload="globalThis.hurt = 1">',
    'red;}body{display:none}',
    '}</style><style>body{display:none}',
    'url(javascript:globalThis.hurt=1)',
    "');background:url(//evil.example/x)",
    '@import "//evil.example/x.css"',
    'expression(globalThis.hurt = 1)',
    '\u202e\u0000\\7d body{display:none}',
    'javascript:globalThis.hurt=1',
    '{{constructor.constructor("globalThis.hurt=1")()}}',
  ]

  test.each(hostile)('runs nothing and styles nothing: %j', async (text) => {
    const { page, close } = await openAsBuyer(browser, 'about:blank')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const image = { owner: `x/${text}`, slot: text, url: text }
    const images = { cover: image, receiptBackground: image, logo: { ...image, slot: 'logo' } }
    // With a valid color, the page contains a style element that the text could break out of.
    for (const more of [{}, { primaryColor: '#9d174d', fontFamily: `Inter, ${text}` }]) {
      harness.looks.theme = hostileTheme(text, { ...images, favicon: { ...image, slot: 'icon' }, ...more })
      // `load` waits for every image and font that a style uses.
      await page.goto(harness.put('hostile', { brandName: text }), { waitUntil: 'load' })
      expect(await page.evaluate('globalThis.hurt')).toBeUndefined()
      const rules = (await page.evaluate(`[...document.styleSheets]
        .filter((sheet) => sheet.ownerNode.tagName === 'STYLE')
        .flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.selectorText ?? rule.conditionText ?? rule.constructor.name))`)) as string[]
      for (const rule of rules)
        expect([':root', 'body', 'CSSFontFaceRule', '(prefers-color-scheme: dark)']).toContain(rule)
      expect(await page.evaluate('document.scripts.length')).toBe(1)
      expect(await page.locator('body').isVisible()).toBe(true)
      const isOurs = (address: string) => address.startsWith(harness.url) || address.startsWith('data:')
      expect(asked.filter((address) => !isOurs(address))).toEqual([])
    }
    await close()
  })
})
