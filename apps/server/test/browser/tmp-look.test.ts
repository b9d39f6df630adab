import { mkdirSync } from 'node:fs'
import { it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { startStoreWorld } from '../support/worlds/store-world.ts'
import { demoProducts } from './tmp-products.ts'

it('look', async () => {
  const world = await startStoreWorld()
  const browser = await launchBrowser()
  const sharp = (await import('sharp')).default
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 900"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="#3b2a20"/><stop offset="1" stop-color="#c98d5a"/></linearGradient></defs><rect width="1600" height="900" fill="url(#g)"/><circle cx="1200" cy="500" r="300" fill="#f3e3cf"/><circle cx="1200" cy="500" r="240" fill="#4a2b18"/></svg>'
  world.pictures.image = {
    type: 'image/webp',
    variants: [{ width: 1600, body: await sharp(Buffer.from(svg)).webp().toBuffer() }],
  }
  mkdirSync('/tmp/store', { recursive: true })
  const packs = (process.env.PACKS ?? 'none').split(',')
  const arrangements = (process.env.ARR ?? 'grid').split(',')
  const widths = (process.env.W ?? '1280').split(',').map(Number)
  for (const pack of packs)
    for (const arrangement of arrangements) {
      const store = await world.addStore({
        slug: `${pack}-${arrangement.replace('_', '-')}`,
        arrangement: arrangement as never,
        ...(pack !== 'none' && { pack: pack as never }),
        ...demoProducts(pack),
        ...(process.env.THEME && { theme: JSON.parse(process.env.THEME) }),
      })
      for (const w of widths)
        for (const scheme of (process.env.SCHEME ?? 'light').split(',')) {
          const page = await browser.newPage({
            viewport: { width: w, height: 900 },
            colorScheme: scheme as never,
          })
          page.on('console', (m) => console.log(m.text()))
          page.on('pageerror', (m) => console.log(String(m)))
          for (const path of (process.env.PATHS ?? '').split(',')) {
            await page.goto(store.url + path)
            await page.screenshot({
              path: `/tmp/store/${pack}-${arrangement}-${w}-${scheme}${path.replace(/\W/g, '_')}.png`,
              fullPage: true,
            })
          }
          if (process.env.CART) {
            for (const id of ['p0', 'p1']) {
              await page.goto(store.url + '/' + id)
              if (pack === 'hotel') {
                await page.fill('#arrival', '2026-12-20')
                await page.fill('#departure', '2026-12-23')
              }
              await page.getByRole('button', { name: /Add to your|Book/ }).click()
              await page.locator('#say p').waitFor()
            }
            await page.screenshot({ path: `/tmp/store/${pack}-added-${w}-${scheme}.png` })
            await page.goto(store.url + '/cart')
            await page.screenshot({ path: `/tmp/store/${pack}-cart-${w}-${scheme}.png`, fullPage: true })
            await page.getByRole('button', { name: /Check out|Continue to/ }).click()
            if (await page.locator('select').count()) {
              await page.selectOption('select', 'US-CA')
              await page.waitForTimeout(1500)
            }
            await page.screenshot({ path: `/tmp/store/${pack}-cart2-${w}-${scheme}.png`, fullPage: true })
            await page.getByRole('button', { name: /Check out|Continue to/ }).click()
            await page.waitForTimeout(1500)
            console.log(page.url(), await page.title())
            await page.goto(store.url + '/cart')
            await page.screenshot({ path: `/tmp/store/${pack}-cart3-${w}-${scheme}.png`, fullPage: true })
          }
          await page.close()
        }
    }
  await browser.close()
  await world.close()
}, 300_000)
