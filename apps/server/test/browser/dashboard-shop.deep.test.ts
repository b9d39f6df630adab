import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const open = (path: string) => openSignedIn(browser, service, path)
const preview = (page: Page) => page.frameLocator('iframe[title="Preview"]')
const colour = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const frameVariable = (page: Page, name: string) =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector('iframe').contentDocument.documentElement).getPropertyValue('--${name}').trim()`,
  )

test('point 53: a colour is in the preview within 100 ms, Discard restores it, and leaving unsaved asks', async () => {
  const shop = await open('/shop/look')
  const { page } = shop
  await preview(page).locator('#panel').waitFor()
  const before = await frameVariable(page, 'primary')
  const tookTo = (colour: string) => `new Promise((resolve) => {
    const field = [...document.querySelectorAll('label')].find((it) => it.textContent === 'Buttons')
    const input = document.getElementById(field.htmlFor)
    const root = document.querySelector('iframe').contentDocument.documentElement
    const isThere = () => root.style.getPropertyValue('--primary') === '${colour}'
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const start = performance.now()
    const look = () => (isThere() ? resolve(performance.now() - start) : requestAnimationFrame(look))
    set.call(input, '${colour}')
    input.dispatchEvent(new Event('input', { bubbles: true }))
    look()
  })`
  // Takes the fastest of three measurements, since the machine may be busy.
  const times: number[] = []
  for (const colour of ['#4a148c', '#1a237e', '#7a1fa2'])
    times.push(await page.evaluate<number>(tookTo(colour)))
  expect(Math.min(...times)).toBeLessThanOrEqual(100)
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('link', { name: 'Products' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await colour(page, 'Buttons').inputValue()).toBe('#7a1fa2')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => frameVariable(page, 'primary')).toBe(before)
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByRole('heading', { name: 'Products' }).waitFor()
  expect(shop.problems).toEqual([])
  await shop.close()
})

test('point 42: a text colour that cannot be read is flagged, and shown as buyers will see it', async () => {
  const shop = await open('/shop/look')
  const { page } = shop
  await preview(page).locator('#panel').waitFor()
  await colour(page, 'Text').fill('#ffcccc')
  await page.getByText(/Hard to read: the contrast is 1\.\d:1/).waitFor()
  const shown = await frameVariable(page, 'ink')
  expect(await page.getByText('Hard to read').innerText()).toContain(shown)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published. Buyers see').waitFor()
  await page.getByText(/Published$/).waitFor()
  const dark = async () => {
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    const scheme = "document.querySelector('iframe').contentDocument.documentElement.style.colorScheme"
    await expect.poll(() => page.evaluate<string>(scheme)).toBe('dark')
    return frameVariable(page, 'ink')
  }
  const draftDark = await dark()
  const url = await service.createReceipt('look-1', {
    lineItems: [{ label: 'Tea', priceUsd: 3 }],
    totalUsd: 3,
  })
  const ink = async (colorScheme: 'light' | 'dark') => {
    const context = await browser.newContext({ colorScheme })
    const buyer = await context.newPage()
    const read = async () => {
      await buyer.goto(url)
      return buyer.evaluate<string>(
        "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()",
      )
    }
    await expect.poll(read).toBe(colorScheme === 'light' ? shown : draftDark)
    await context.close()
  }
  await ink('light')
  await ink('dark')
  await page.getByRole('button', { name: 'Restore previous appearance' }).click()
  expect(await colour(page, 'Text').inputValue()).not.toBe('#ffcccc')
  await shop.close()
})

test('a draft waits on this device, changes nothing for buyers, and can be deleted', async () => {
  const shop = await open('/shop/look')
  const { page } = shop
  const before = (await shop.ask('GET', '/api/shop/config')).body.config.theme
  await page.getByLabel('Font').selectOption('Poppins')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText(/Draft$/).waitFor()
  await page.reload()
  await expect.poll(() => page.getByLabel('Font').inputValue()).toBe('Poppins')
  await preview(page).locator('#panel').waitFor()
  await expect.poll(() => frameVariable(page, 'font')).toContain('Poppins')
  expect((await shop.ask('GET', '/api/shop/config')).body.config.theme).toEqual(before)
  await page.getByRole('button', { name: 'Delete draft' }).click()
  await page.getByText(/Published$/).waitFor()
  await shop.close()
})

test('a slug is validated during input and saved with the links in the chosen order', async () => {
  const shop = await open('/shop')
  const { page } = shop
  const address = page.getByLabel('Address', { exact: true }).first()
  await address.fill('checkout')
  await page.getByText('This address is reserved').waitFor()
  await address.fill('x')
  await page.getByText('Use 3 to 48 characters: a–z, 0–9 and hyphens').waitFor()
  await address.fill('tide-coffee')
  await page.getByText('This address is available').waitFor()
  await page.getByRole('button', { name: 'Add link' }).click()
  await page.getByLabel('Label').last().fill('Terms')
  const second = page
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Label') })
    .last()
  await second.getByLabel('URL').fill('javascript:alert(1)')
  await page.getByRole('button', { name: 'Move link 2 up' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('must be an https, http, mailto or tel URL').waitFor()
  await page
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Label') })
    .first()
    .getByLabel('URL')
    .fill('https://tide.example/terms')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Shop saved').waitFor()
  const { config } = (await shop.ask('GET', '/api/shop/config')).body
  expect(config.slug).toBe('tide-coffee')
  expect(config.links[0]).toEqual({ label: 'Terms', url: 'https://tide.example/terms' })
  expect(config.links).toHaveLength(2)
  await shop.close()
})

test('a preview is shown by the web app alone, takes messages from no other page, and can be neither paid nor left', async () => {
  const response = await fetch(`${service.baseUrl}/preview/checkout`)
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("frame-ancestors 'self'")
  expect(policy).toContain("form-action 'none'")
  expect(policy).not.toContain("'unsafe-inline'")
  expect((await fetch(`${service.baseUrl}/preview/other`)).status).toBe(404)
  expect((await fetch(`${service.baseUrl}/app`)).headers.get('content-security-policy')).toContain(
    "frame-src 'self'",
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${service.baseUrl}/preview/checkout`)
  await page.evaluate(
    `postMessage({ kind: 'sluice:look', id: 1, scheme: 'light', name: 'Evil', colours: { ink: '#ff0000' } }, '*')`,
  )
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  expect(await page.locator('.who h1').innerText()).not.toBe('Evil')
  await context.close()
})

test('point 33: profile and look have no violation, wide and narrow, light and dark', async () => {
  const shop = await openSignedIn(browser, service, '/shop')
  for (const path of ['/shop', '/shop/look']) {
    await shop.page.goto(`${service.baseUrl}/app${path}`)
    await shop.page.getByRole('button', { name: 'Discard changes' }).waitFor()
    if (path === '/shop/look') await preview(shop.page).locator('#panel').waitFor()
    expect(await errorsInAllLooks(shop.page)).toEqual([])
  }
  await shop.close()
})
