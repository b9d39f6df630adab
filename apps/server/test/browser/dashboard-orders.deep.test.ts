import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

test('an order is put together from products, taxed as the screen said, and its receipt can be paid', async () => {
  const shop = await openSignedIn(browser, service, '/orders/new')
  const { page } = shop
  await page.getByRole('searchbox').fill('grinder')
  await page.getByRole('button', { name: 'Add Hand grinder' }).click()
  await page.getByLabel('Quantity of Hand grinder').fill('2')
  await page.getByRole('searchbox').fill('gift')
  await page.getByRole('button', { name: 'Add Gift card' }).click()
  await page.getByLabel('Tax jurisdiction').selectOption('US-CA')
  await page.getByLabel('Your reference').fill('table-9')
  const reported = await page.getByRole('term').filter({ hasText: 'Total' }).last().locator('..').innerText()
  await page.getByRole('button', { name: 'Create order' }).click()
  await page.getByRole('heading', { name: 'table-9' }).waitFor()
  const { orders } = (await shop.ask('GET', '/api/orders')).body
  expect(orders[0]).toMatchObject({
    transactionId: 'table-9',
    subtotalUsd: 203,
    jurisdictionCode: 'US-CA',
    stock: 'reserved',
  })
  expect(reported).toContain(orders[0].totalUsd.toFixed(2))
  expect(await page.locator('main').innerText()).toContain('Reserved until paid')
  await service.pay(orders[0].id)
  await expect.poll(() => service.status(orders[0].id)).not.toBe('pending')
  await page.getByRole('link', { name: 'All orders' }).click()
  const row = page.getByRole('row').filter({ hasText: 'table-9' })
  await row.getByRole('cell', { name: '2 × Hand grinder and 1 more' }).waitFor()
  await page.reload()
  await expect.poll(() => row.innerText()).toMatch(/Paid|Distributed/)
  await row.getByRole('link').click()
  await page.getByText('Sold', { exact: true }).waitFor()
  await page.getByRole('link', { name: orders[0].id }).click()
  await page.waitForURL(/receipts\/R-/)
  expect(shop.problems).toEqual([])
  await shop.close()
})

test('more than there is in stock is refused in words, and nothing that was typed is lost', async () => {
  const shop = await openSignedIn(browser, service, '/orders/new')
  const { page } = shop
  await page.getByRole('button', { name: 'Add Hand grinder' }).click()
  await page.getByLabel('Quantity of Hand grinder').fill('500')
  await page.getByLabel('Tax jurisdiction').selectOption('US-OR')
  await page.getByRole('button', { name: 'Create order' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /grinder/ })
    .waitFor()
  expect(await page.getByLabel('Quantity of Hand grinder').inputValue()).toBe('500')
  await shop.close()
})

test('point 33: orders have no violation, wide and narrow, light and dark', async () => {
  const shop = await openSignedIn(browser, service, '/orders')
  await shop.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await errorsInAllLooks(shop.page)).toEqual([])
  await shop.page.goto(`${service.baseUrl}/app/orders/new`)
  await shop.page.getByRole('button', { name: 'Add Gift card' }).waitFor()
  expect(await errorsInAllLooks(shop.page)).toEqual([])
  await shop.close()
})
