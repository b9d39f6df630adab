import { expect, test } from 'vitest'
import { faultsInAllLooks } from '../support/browser/all-looks.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/worlds/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(launchBrowser)

test('a payment link in euro with lines and a discount is previewed to the cent and handed over as link and QR code', async () => {
  const merchant = await openSignedIn(browser, service, '/payment-links/new')
  const { page } = merchant
  await page.getByLabel('Currency').selectOption('EUR')
  await page.getByLabel('Description').fill('Beans, 1 kg')
  await page.getByLabel('Quantity').fill('3')
  await page.getByLabel('Unit price').fill('19.90')
  await page.getByRole('button', { name: 'Add a line' }).click()
  await page.getByLabel('Description').nth(1).fill('Filter paper')
  await page.getByLabel('Unit price').nth(1).fill('0,10')
  await page.getByLabel('Discount (optional)').fill('4.80')
  await page.locator('output', { hasText: '€55.00' }).waitFor()
  await page.getByText('More options').click()
  await page.getByLabel('Receipt id').fill('handmade/1')
  await page.getByRole('button', { name: 'Create the link' }).click()
  await page.getByRole('heading', { name: 'The link is ready' }).waitFor()
  const link = await page.getByRole('link', { name: 'Open the checkout' }).getAttribute('href')
  expect(link).toContain('handmade%2F1')
  const code = page.getByRole('img', { name: 'The payment link as a QR code' })
  expect(await readQr(code)).toBe(link)
  const { body } = await merchant.ask('GET', '/api/receipts/handmade%2F1')
  expect(body).toMatchObject({ currency: 'EUR', total: 55 })
  expect(body.lineItems.map(({ amount }: { amount: number }) => amount)).toEqual([59.7, 0.1, -4.8])
  await page.getByRole('link', { name: 'Open the receipt' }).click()
  await page.getByRole('heading', { name: 'handmade/1' }).waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('point 58: what the service refuses stands at its field, a limit says when it ends, and a fault has its reference', async () => {
  await service.createReceipt('taken', { currency: 'USD', lineItems: [{ label: 'Tea', amount: 3 }] })
  const merchant = await openSignedIn(browser, service, '/payment-links/new')
  const { page } = merchant
  const create = page.getByRole('button', { name: 'Create the link' })
  await create.click()
  await page.getByText('Fill this in').waitFor()
  await page.getByLabel('Description').fill('Tea')
  await page.getByLabel('Unit price').fill('1e3')
  await page.getByText('Enter an amount such as 12.50').waitFor()
  await page.getByLabel('Unit price').fill('9999999999')
  await create.click()
  const price = page.getByLabel('Unit price')
  await expect.poll(() => price.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('alert').filter({ hasText: 'must be' }).first().innerText()).toContain(
    '1000000000',
  )
  await page.getByLabel('Unit price').fill('12.50')
  await page.getByText('More options').click()
  const webhook = page.getByLabel('Webhook address')
  await webhook.fill('ftp://shop.example/hook')
  await create.click()
  await expect.poll(() => webhook.getAttribute('aria-invalid')).toBe('true')
  await webhook.fill('')
  const answer = (status: number, body: object) =>
    page.route('**/api/receipts', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status,
            contentType: 'application/json',
            headers: { 'x-correlation-id': 'corr-1' },
            body: JSON.stringify(body),
          })
        : route.fallback(),
    )
  await answer(429, { error: 'rate_limited', message: 'slow', resetAt: Date.UTC(2030, 0, 1, 12, 0) })
  await create.click()
  await page.getByText('Too many requests. Try again at').waitFor()
  await page.unroute('**/api/receipts')
  await answer(500, { error: 'failed', message: 'Something went wrong', correlationId: 'corr-1' })
  await create.click()
  await page.getByText('corr-1').waitFor()
  await merchant.close()
})

test('point 33: making a payment link has no violation, wide and narrow, light and dark', async () => {
  const merchant = await openSignedIn(browser, service, '/payment-links/new')
  await merchant.page.getByRole('heading', { name: 'New payment link' }).waitFor()
  expect(await faultsInAllLooks(merchant.page)).toEqual([])
  expect(merchant.problems).toEqual([])
  await merchant.close()
})
