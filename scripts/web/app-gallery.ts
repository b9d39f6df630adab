import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { newWallet } from '../../apps/server/test/support/api/sessions.ts'
import { logInOwner } from '../../apps/server/test/support/browser/signed-in.ts'
import { startService } from '../run/running-service.ts'
import { appScreens } from './app-screens.ts'
import { tellAppStory } from './app-story.ts'
import { addFonts } from './script-fonts.ts'

/** One picture of a screen of the web app, and how it is looked at. */
export type AppShot = {
  readonly screen: string
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly language: string
}

const heightOf: Readonly<Record<number, number>> = { 1280: 900, 768: 1024, 360: 740 }
const smallBytes = 30_000
const smallHeight = 900
const patienceMs = 30_000

/** Every picture of these screens: at each width in light and dark, and once from right to left. */
export function listAppShots(screens: readonly string[]): AppShot[] {
  return screens.flatMap((screen) => [
    ...[1280, 768, 360].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ screen, width, colorScheme, language: 'en' })),
    ),
    { screen, width: 1280, colorScheme: 'light', language: 'ar' } as const,
  ])
}

/** The pictures that are checked in: each screen once, on a desktop. */
export function isAppCheckedIn({ width, colorScheme, language }: AppShot): boolean {
  return width === 1280 && colorScheme === 'light' && language === 'en'
}

/** Where a picture lies in its folder. */
export function appFileOf(shot: AppShot): string {
  const { screen, width, colorScheme, language } = shot
  return isAppCheckedIn(shot) ? `${screen}.webp` : `app-${screen}-${width}-${colorScheme}-${language}.webp`
}

/** A local service with some days of trade, and what takes pictures of its web app. */
export async function startAppStand() {
  const operator = newWallet()
  const service = await startService({
    RATE_LIMIT_SCALE: '0',
    OPERATOR_WALLETS: operator.wallet,
  })
  const stop = () => service.stop()
  try {
    const story = await tellAppStory(service)
    const cookies = {
      owner: story.owner.cookie,
      operator: (await logInOwner(service, operator.privateKey)).cookie,
      nobody: '',
    }
    return {
      async take(browser: Browser, shot: AppShot, folder: string): Promise<void> {
        const screen = appScreens[shot.screen]
        if (!screen) throw new Error(`there is no screen ${shot.screen}`)
        const path = typeof screen.path === 'string' ? screen.path : screen.path(story)
        const url = `${service.baseUrl}/app${path}`
        await photograph(browser, shot, folder, { url, cookie: cookies[screen.as ?? 'owner'] })
      },
      async close() {
        await story.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Look = { readonly url: string; readonly cookie: string }

async function photograph(browser: Browser, shot: AppShot, folder: string, look: Look): Promise<void> {
  const { width, colorScheme, language } = shot
  const viewport = { width, height: heightOf[width] ?? smallHeight }
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: language,
    reducedMotion: 'reduce',
    bypassCSP: true,
  })
  try {
    context.setDefaultTimeout(patienceMs)
    await context.addCookies(cookiesOf(look))
    const page = await context.newPage()
    await page.goto(look.url)
    await untilStill(page)
    if (language !== 'en') await addFonts(page, language)
    await page.evaluate('document.fonts.ready')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, appFileOf(shot))
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled' })
    if (isAppCheckedIn(shot)) await writeSmall(picture, file)
    else await sharp(picture).webp({ quality: 82, effort: 4 }).toFile(file)
  } finally {
    await context.close()
  }
}

function cookiesOf({ url, cookie }: Look) {
  return cookie
    .split('; ')
    .filter((each) => each !== '')
    .map((each) => {
      const [name = '', ...value] = each.split('=')
      return { name, value: value.join('='), url: new URL(url).origin }
    })
}

/** Until the screen stands: nothing is loading, and nothing has changed for a while. */
async function untilStill(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(
    `(() => {
    const text = document.body.innerText
    const isLoading = document.querySelector('[aria-busy=true], .animate-pulse') !== null
    const isSame = globalThis.stillText === text && !isLoading
    globalThis.stillText = text
    globalThis.stillFor = isSame ? (globalThis.stillFor ?? 0) + 1 : 0
    return globalThis.stillFor >= 4
  })()`,
    undefined,
    { polling: 200 },
  )
}

/** The first screen of a picture, as good as it may be in 30 kB. */
async function writeSmall(picture: Buffer, file: string): Promise<void> {
  const { width, height } = await sharp(picture).metadata()
  const first = sharp(picture).extract({ left: 0, top: 0, width, height: Math.min(height, smallHeight) })
  for (let quality = 60; ; quality -= 10) {
    const small = await first.clone().webp({ quality, effort: 6 }).toBuffer()
    if (small.length >= smallBytes && quality > 10) continue
    writeFileSync(file, small)
    return
  }
}
