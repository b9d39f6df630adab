import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { freezePostgres } from '../support/kill/parts.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const make = (id: string, amount: number, more: object = {}) =>
  service.createReceipt(id, { currency: 'USD', lineItems: [{ label: `Item of ${id}`, amount }], ...more })

async function makeMany(prefix: string, count: number): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++)
      await make(`${prefix}-${String(i).padStart(5, '0')}`, 1 + (i % 500))
  }
  await Promise.all(Array.from({ length: 24 }, worker))
}

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Receipts' }).getByRole('row')

test('point 47: tab, search, filters, order and page are in the address; back restores the list and where it stood', async () => {
  await makeMany('many', 120)
  await make('euro-1', 40, { currency: 'EUR' })
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page } = merchant
  await page.getByRole('link', { name: /^All 12\d/ }).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rowsOf(page).count()).toBe(101)
  expect(page.url()).toContain('pages=2')
  await page.getByRole('link', { name: 'many-00040' }).scrollIntoViewIfNeeded()
  const before = await page.evaluate<number>('scrollY')
  expect(before).toBeGreaterThan(500)
  await page.getByRole('link', { name: 'many-00040' }).click()
  await page.getByRole('heading', { name: 'many-00040' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'many-00040' }).waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(101)
  await expect.poll(() => page.evaluate<number>('Math.round(scrollY)')).toBe(Math.round(before))
  await page.evaluate('scrollTo(0, 0)')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('combobox', { name: 'Currency' }).selectOption('EUR')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => rowsOf(page).count()).toBe(2)
  expect(page.url()).toContain('currency=EUR')
  const file = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href')
  const csv = await page.evaluate<string>(`fetch(${JSON.stringify(file)}).then((answer) => answer.text())`)
  expect(csv.trim().split('\n')).toHaveLength(2)
  expect(csv).toContain('euro-1')
  await page.reload()
  await page.getByRole('link', { name: 'euro-1' }).waitFor()
  await expect.poll(() => rowsOf(page).count()).toBe(2)
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByLabel('Search receipts').fill('many-0001')
  await expect.poll(() => rowsOf(page).count()).toBe(11)
  expect(page.url()).toContain('q=many-0001')
  await page.getByRole('columnheader', { name: 'Amount' }).getByRole('link').click()
  await expect.poll(async () => (await rowsOf(page).nth(1).innerText()).includes('$20.00')).toBe(true)
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-amount')
  await page.getByRole('link', { name: /^Paid/ }).click()
  await page.getByText('No receipts found').waitFor()
  await page.goBack()
  await expect.poll(() => rowsOf(page).count()).toBe(11)
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('columns are chosen and kept, and arrow keys go from row to row', async () => {
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page } = merchant
  await page.locator('summary', { hasText: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Brand' }).check()
  await page.getByRole('checkbox', { name: 'Items' }).uncheck()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Brand' }).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Items' }).count()).toBe(0)
  await rowsOf(page).nth(1).getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const third = await rowsOf(page).nth(3).getByRole('link').innerText()
  expect(await page.evaluate('document.activeElement.innerText')).toBe(third)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: third }).waitFor()
  await merchant.close()
})

test('point 49: lists of money have their empty, loading, error, degraded and forbidden views', async () => {
  const merchant = await openSignedIn(browser, service, '/refunds')
  const { page } = merchant
  await page.getByText('No refunds here').waitFor()
  await page.getByRole('link', { name: 'Unmatched payments' }).click()
  await page.getByText('No open payments').waitFor()
  const sections = page.getByRole('navigation')
  await sections.getByRole('link', { name: 'Receipts', exact: true }).click()
  await rowsOf(page).nth(1).waitFor()
  const rows = await rowsOf(page).count()

  const [name = '', value = ''] = (await logInOwner(service)).cookie.split('=')

  // While the database is frozen, cached data is marked as old, and other data shows an error.
  const thaw = freezePostgres(service)
  try {
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText('You see the last known figures').waitFor()
    expect(await rowsOf(page).count()).toBe(rows)
    await sections.getByRole('link', { name: 'Split', exact: true }).click()
    await page.getByText('Loading…').first().waitFor({ state: 'attached' })
    await page.getByText('Could not load this').first().waitFor()
    await page.getByText('Reference').first().waitFor()
    expect(await violations(page)).toEqual([])
    // The service cannot verify an unknown session now. The app must not ask the user to sign in again.
    await page.context().addCookies([{ name, value, url: service.baseUrl }])
    await page.reload()
    await page.getByText('Could not load this').waitFor()
    expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0)
    expect(await violations(page)).toEqual([])
  } finally {
    thaw()
  }
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('heading', { name: 'Current recipients' }).waitFor()
  await sections.getByRole('link', { name: 'Receipts', exact: true }).click()
  await expect.poll(() => rowsOf(page).count()).toBe(rows)
  expect(await page.getByText('You see the last known figures').count()).toBe(0)
  const cashier = generatePrivateKey()
  const member = { wallet: privateKeyToAccount(cashier).address, role: 'cashier' }
  expect((await merchant.ask('POST', '/api/members', member)).status).toBeLessThan(300)
  await merchant.close()
  const counter = await openSignedIn(browser, service, '/refunds', { as: cashier })
  await counter.page.getByText(/role/i).first().waitFor()
  expect((await counter.ask('GET', '/api/payments/unmatched')).status).toBe(403)
  await counter.page.goto(`${service.baseUrl}/app/receipts/welcome-1`)
  await counter.page.getByRole('heading', { name: 'Timeline' }).waitFor()
  expect(await counter.page.getByRole('button', { name: 'More' }).count()).toBe(0)
  await counter.close()
})

// `npm run bench:web` verifies that the first rows of ten thousand appear within a second.
test('point 48: of many receipts one page is read, and its rows take the place that was kept for them', async () => {
  await makeMany('bulk', 150)
  const merchant = await openSignedIn(browser, service, '/settings')
  const { page } = merchant
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/receipts') asked.push(search)
  })
  await page.addInitScript(`
    globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`${service.baseUrl}/app/receipts`)
  const links = page.getByRole('link', { name: /^bulk-/ })
  await links.first().waitFor()
  expect(await links.count()).toBeLessThan(150)
  expect(asked).toHaveLength(1)
  expect(await page.evaluate<number>('shift')).toBeLessThanOrEqual(0.05)
  await merchant.close()
})

test('point 33: the receipts have no violation, wide and narrow, light and dark', async () => {
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page } = merchant
  const shown = page.getByRole('link', { name: /bulk|many/ }).first()
  await page.getByRole('button', { name: 'Filters' }).click()
  await shown.waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await page.goto(`${service.baseUrl}/app/overview`)
  await shown.waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await merchant.close()
})
