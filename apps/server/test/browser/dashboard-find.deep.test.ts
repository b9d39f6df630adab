import { generatePrivateKey } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

test('point 59: ⌘K finds a receipt by its id, the beginning of a hash and an e-mail address, and opens it by keys', async () => {
  await service.createReceipt('find-me-1', {
    lineItems: [{ label: 'Tea', amount: 7 }],
    metadata: { note: 'x' },
    billingEmail: 'ada@example.com',
  })
  await service.pay('find-me-1')
  const { page, ask, problems, close } = await openSignedIn(browser, service, '/receipts')
  const read = async () => (await ask('GET', '/api/receipts/find-me-1')).body
  await expect.poll(async () => (await read()).transactionHash).toMatch(/^0x/)
  const { transactionHash } = await read()
  const field = page.getByRole('combobox', { name: 'Receipt, product or page' })
  for (const typed of ['find-me', transactionHash.slice(0, 12), 'ADA@example.com']) {
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name: 'find-me-1' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/app\/receipts\/find-me-1$/)
    await expect.poll(() => field.count()).toBe(0)
    await page.getByRole('link', { name: 'Split', exact: true }).click()
  }
  await page.keyboard.press('Control+k')
  await field.fill('guji')
  await page.getByRole('option').filter({ hasText: /guji/i }).first().waitFor()
  await field.fill('secur')
  await page.getByRole('option', { name: 'Security' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/security$/)
  expect(problems).toEqual([])
  await close()
})

test('point 59: ? lists the shortcuts, g and a letter go there, and all of one character can be turned off', async () => {
  const { page, close } = await openSignedIn(browser, service, '/receipts')
  await page.getByRole('heading', { name: 'Receipts' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL(/\/app\/split$/)
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Ctrl K').waitFor()
  expect(await violations(page)).toEqual([])
  await list.getByLabel('Single-key shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await expect.poll(() => list.count()).toBe(0)
  await page.keyboard.press('?')
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  expect(page.url()).toMatch(/\/app\/split$/)
  expect(await list.count()).toBe(0)
  await close()
})

test('the first steps tick themselves off as they are done, without a reload', async () => {
  const { page, ask, close } = await openSignedIn(browser, service, '/overview', { as: generatePrivateKey() })
  await page.getByText('0 of 6 done').waitFor()
  expect(await violations(page)).toEqual([])
  expect((await ask('POST', '/api/split/deploy', {})).status).toBe(200)
  await page.getByText('1 of 6 done').waitFor()
  await ask('POST', '/api/shop/config', { name: 'Corner', slug: 'corner-shop' })
  await page.getByText('2 of 6 done').waitFor()
  await ask('POST', '/api/shop/config', { theme: { primaryColor: '#7a1f3d' } })
  await page.getByText('3 of 6 done').waitFor()
  await ask('POST', '/api/subscriptions', { name: 'Shop' })
  await page.getByText('4 of 6 done').waitFor()
  expect(await page.getByRole('link', { name: 'Test your webhook endpoint' }).count()).toBe(1)
  await close()
})

test('the way out is on the screen as soon as the account is opened, however many sections there are', async () => {
  for (const [width, height] of [
    [1440, 900],
    [1280, 600],
  ] as const) {
    const { page, close } = await openSignedIn(browser, service, '/receipts', { viewport: { width, height } })
    await page.locator('summary', { hasText: 'Account' }).click()
    const out = await page.getByRole('button', { name: 'Sign out' }).boundingBox()
    expect(out?.y).toBeGreaterThan(0)
    expect((out?.y ?? 0) + (out?.height ?? 0)).toBeLessThanOrEqual(height)
    expect(await violations(page)).toEqual([])
    await close()
  }
})

test('a narrow screen has the sections behind a button that Esc closes', async () => {
  const { page, close } = await openSignedIn(browser, service, '/receipts', {
    viewport: { width: 360, height: 740 },
  })
  const menu = page.getByRole('button', { name: 'Menu' })
  const link = page.getByRole('link', { name: 'Settings' })
  expect(await link.isVisible()).toBe(false)
  await menu.click()
  await link.waitFor()
  expect(await violations(page)).toEqual([])
  await link.focus()
  await page.keyboard.press('Escape')
  await expect.poll(() => link.isVisible()).toBe(false)
  await menu.click()
  await link.click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  expect(await link.isVisible()).toBe(false)
  await close()
})
