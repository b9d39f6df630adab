import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { plainTheme } from '../../apps/server/src/pages/theme/page-theme.ts'
import type { TestBrowser } from '../../apps/server/test/support/browser/browser.ts'
import {
  checkoutStates,
  openState as openCheckout,
} from '../../apps/server/test/support/browser/checkout-states.ts'
import { type PageHarness, startPageHarness } from '../../apps/server/test/support/browser/page-harness.ts'
import type { PageStand } from '../../apps/server/test/support/browser/page-stand.ts'
import { openState } from '../../apps/server/test/support/browser/page-states.ts'
import { themes } from '../../apps/server/test/support/browser/themes.ts'
import { announceWallet } from './announce-wallet.ts'
import { addFonts } from './script-fonts.ts'

/** One picture: a state of a page, and how it is looked at. */
export type Shot = {
  readonly state: string
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly theme: keyof typeof looks
  readonly language: string
}

/** The product's own look, and a merchant's. */
const looks = { plain: plainTheme, berry: themes.berry } as const

/** How high the window is at each width: a desktop, a tablet and a phone. */
const heightOf: Readonly<Record<number, number>> = { 1280: 900, 768: 1024, 360: 740 }

/** What fills the gaps of a wallet's step, as the script of the page would. */
const slots = {
  wallet: 'Example Wallet',
  current: 'Ethereum',
  chainId: '31337',
  symbol: 'USDC',
  coin: 'ETH',
  have: '12.50 USDC',
  need: '25.00 USDC',
  missing: '12.50 USDC',
  amount: '25.00 USDC',
  chain: 'Local chain',
  brand: 'Harbour Coffee Roasters',
  rpc: 'http://127.0.0.1:8545',
  reason: 'The wallet is not connected to the network.',
  message: '4900: Internal JSON-RPC error',
  explorer: 'https://explorer.example',
  hash: `0x${'5e'.repeat(32)}`,
}

/** What the checkout's gallery is taken of: the pages of a service that is set up for everything. */
export function startGalleryHarness(): Promise<PageHarness> {
  return startPageHarness({ walletConnectProject: 'gallery' })
}

/** Every state of the checkout, and every step of a payment through a wallet that is none of these. */
export async function listStates(browser: TestBrowser, harness: PageHarness): Promise<string[]> {
  const page = await browser.newPage()
  await page.goto(harness.put('steps'))
  const steps = await loadSteps(page)
  await page.close()
  return [...new Set([...Object.keys(checkoutStates), ...steps])]
}

/** Every picture of the gallery: each state at each width in light and dark, in two themes, and once from right to left. */
export function listShots(states: readonly string[]): Shot[] {
  return states.flatMap((state) => [
    ...[1280, 768, 360].flatMap((width) =>
      (['light', 'dark'] as const).flatMap((colorScheme) =>
        (['plain', 'berry'] as const).map((theme) => ({ state, width, colorScheme, theme, language: 'en' })),
      ),
    ),
    { state, width: 360, colorScheme: 'light', theme: 'plain', language: 'ar' } as const,
  ])
}

/** The pictures that are checked in: each state once, on a phone. */
export function isCheckedIn({ width, colorScheme, theme, language }: Shot): boolean {
  return width === 360 && colorScheme === 'light' && theme === 'plain' && language === 'en'
}

/** Where a picture lies in its folder. */
export function fileOf(shot: Shot): string {
  const { state, width, colorScheme, theme, language } = shot
  return isCheckedIn(shot) ? `${state}.webp` : `${state}-${width}-${colorScheme}-${theme}-${language}.webp`
}

/** Takes one picture of the checkout, the whole page long. */
export async function takeShot(
  browser: TestBrowser,
  harness: PageHarness,
  shot: Shot,
  folder: string,
): Promise<void> {
  const { state, theme, language } = shot
  harness.looks.theme = looks[theme]
  await photograph(browser, shot, folder, async (page) => {
    await page.addInitScript(announceWallet)
    await openCheckout(harness, page, state, { id: `coffee-${state}`, query: `?lang=${language}` })
    if (state in checkoutStates) return
    await loadSteps(page)
    await showStep(page, state, slots)
  })
}

/** Takes one picture of another page, the whole page long; of those that are checked in, the first screen and a half. */
export async function takePageShot(
  browser: TestBrowser,
  stand: PageStand,
  shot: Shot,
  folder: string,
): Promise<void> {
  stand.looks.theme = looks[shot.theme]
  const small = isCheckedIn(shot) ? { maxHeight: 1_100, quality: 45 } : {}
  await photograph(browser, shot, folder, (page) => openState(page, stand, shot.state, shot.language), small)
}

async function photograph(
  browser: TestBrowser,
  shot: Shot,
  folder: string,
  open: (page: Page) => Promise<void>,
  { maxHeight = Number.POSITIVE_INFINITY, quality = 82 } = {},
): Promise<void> {
  const { width, colorScheme, language } = shot
  const viewport = { width, height: heightOf[width] ?? 900 }
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce', bypassCSP: true })
  try {
    await open(page)
    await addFonts(page, language)
    await page.evaluate('document.fonts.ready')
    mkdirSync(folder, { recursive: true })
    const picture = sharp(await page.screenshot({ fullPage: true, animations: 'disabled' }))
    const { height } = await picture.metadata()
    await picture
      .extract({ left: 0, top: 0, width, height: Math.min(height, maxHeight) })
      .webp({ quality, effort: 6 })
      .toFile(join(folder, fileOf(shot)))
  } finally {
    await page.close()
  }
}

/** Loads the steps of a payment by a wallet, as the page's script does for a buyer with a wallet. Returns their names. */
export async function loadSteps(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    fetch(document.querySelector('#panel').dataset.steps).then((response) => response.text()).then((text) => {
      const page = new DOMParser().parseFromString(text, 'text/html')
      document.body.append(...page.querySelectorAll('template'))
      return [...document.querySelectorAll('template[data-step]')]
        .filter((it) => it.content.querySelector('.head')).map((it) => it.dataset.step)
    })`)
}

/** Shows a step as the page's script does: parts whose slot is empty are removed. */
export async function showStep(
  page: Page,
  step: string,
  slots: Readonly<Record<string, string>>,
): Promise<void> {
  await page.evaluate(
    `(({ step, slots }) => {
      const content = document.querySelector('template[data-step="' + step + '"]').content.cloneNode(true)
      for (const part of content.querySelectorAll('[data-if]')) if (!slots[part.dataset.if]) part.remove()
      for (const gap of content.querySelectorAll('[data-slot]')) gap.textContent = slots[gap.dataset.slot] ?? ''
      for (const link of content.querySelectorAll('a[data-href]')) link.href = '#'
      document.getElementById('stage').replaceChildren(content)
    })(${JSON.stringify({ step, slots })})`,
  )
}
