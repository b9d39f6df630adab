import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { plainTheme } from '../../apps/server/src/pages/theme/page-theme.ts'
import type { CheckoutHarness } from '../../apps/server/test/support/browser/checkout-harness.ts'
import { checkoutStates } from '../../apps/server/test/support/browser/checkout-states.ts'
import { themes } from '../../apps/server/test/support/browser/themes.ts'
import { announceWallet } from './announce-wallet.ts'

/** One picture: a state of the checkout, and how it is looked at. */
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
  message: 'Internal JSON-RPC error',
  hash: `0x${'5e'.repeat(32)}`,
}

/** The steps of a payment through a wallet, which the page of an offer holds ready. */
export async function listWalletSteps(browser: Browser, harness: CheckoutHarness): Promise<string[]> {
  const page = await browser.newPage()
  await page.goto(harness.put('steps'))
  const names = await page.evaluate<string[]>(
    "[...document.querySelectorAll('template[data-step]')].filter((it) => it.content.querySelector('.head')).map((it) => it.dataset.step)",
  )
  await page.close()
  return names
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

/** Takes one picture, the whole page long. */
export async function takeShot(
  browser: Browser,
  harness: CheckoutHarness,
  shot: Shot,
  folder: string,
): Promise<void> {
  const { state, width, colorScheme, theme, language } = shot
  const known = checkoutStates[state]
  harness.themed.theme = looks[theme]
  if (known?.refusal) harness.fault.open = known.refusal
  const viewport = { width, height: heightOf[width] ?? 900 }
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' })
  try {
    await page.addInitScript(announceWallet)
    const url = harness.put(`coffee-${state}`, known?.changes)
    await page.goto(`${url}?lang=${language}`, { waitUntil: 'load' })
    await page.evaluate('document.fonts.ready')
    if (!known) await showStep(page, state)
    mkdirSync(folder, { recursive: true })
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled' })
    await sharp(picture)
      .webp({ quality: 82 })
      .toFile(join(folder, fileOf(shot)))
  } finally {
    delete harness.fault.open
    await page.close()
  }
}

/** Puts a step of a wallet's payment on the page, as the page's script does. */
async function showStep(page: Page, step: string): Promise<void> {
  await page.evaluate(
    `(({ step, slots }) => {
      const content = document.querySelector('template[data-step="' + step + '"]').content.cloneNode(true)
      for (const gap of content.querySelectorAll('[data-slot]')) gap.textContent = slots[gap.dataset.slot] ?? ''
      for (const link of content.querySelectorAll('a[data-href]')) link.href = '#'
      document.getElementById('stage').replaceChildren(content)
    })(${JSON.stringify({ step, slots })})`,
  )
}
