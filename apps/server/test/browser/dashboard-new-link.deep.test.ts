import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks } from '../support/browser/violations.ts'
import { freezePostgres } from '../support/kill/parts.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService({ rateLimitScale: 1 }))
const browser = perFile(openBrowser)

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
  await page.getByLabel('Receipt ID').fill('handmade/1')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('heading', { name: 'Your link is ready' }).waitFor()
  const link = await page.getByRole('link', { name: 'Open checkout' }).getAttribute('href')
  expect(link).toContain('handmade%2F1')
  const code = page.getByRole('img', { name: 'QR code for the payment link' })
  expect(await readQr(code)).toBe(link)
  const { body } = await merchant.ask('GET', '/api/receipts/handmade%2F1')
  expect(body).toMatchObject({ currency: 'EUR', total: 55 })
  expect(body.lineItems.map(({ amount }: { amount: number }) => amount)).toEqual([59.7, 0.1, -4.8])
  await page.getByRole('link', { name: 'View receipt' }).click()
  await page.getByRole('heading', { name: 'handmade/1' }).waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('point 58: what the service refuses stands at its field, a limit says when it ends, and a fault has its reference', async () => {
  await service.createReceipt('taken', { currency: 'USD', lineItems: [{ label: 'Tea', amount: 3 }] })
  const merchant = await openSignedIn(browser, service, '/payment-links/new')
  const { page } = merchant
  const create = page.getByRole('button', { name: 'Create link' })
  await create.click()
  await page.getByText('Enter a value').waitFor()
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
  const webhook = page.getByLabel('Webhook endpoint')
  await webhook.fill('ftp://shop.example/hook')
  await create.click()
  await expect.poll(() => webhook.getAttribute('aria-invalid')).toBe('true')
  await webhook.fill('')
  // While the database is frozen, the form keeps its input. The input is saved after the database is back.
  const thaw = freezePostgres(service)
  try {
    await create.click()
    const error = page.getByRole('alert').filter({ hasText: 'Reference' })
    await error.waitFor()
    expect(await error.locator('code').innerText()).toMatch(/^[\w-]{8,}$/)
    expect(await price.inputValue()).toBe('12.50')
  } finally {
    thaw()
  }
  await expect
    .poll(
      async () => {
        if (await create.isVisible()) await create.click({ timeout: 5_000 }).catch(() => {})
        return page.getByRole('link', { name: 'View receipt' }).count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  await merchant.close()
})

test('point 58: a limit that was reached says when it ends', async () => {
  const merchant = await openSignedIn(browser, service, '/settings')
  const { page } = merchant
  const part = page.getByRole('region', { name: 'Embedded checkout' })
  await part.getByLabel('Origins').fill('https://shop.example.com')
  const usedUp = async () => {
    // The limit of ten configuration changes per minute allows one further change every six seconds.
    while ((await merchant.ask('POST', '/api/settings', {})).status !== 429);
    await part.getByRole('button', { name: 'Save' }).click()
    const responses = page.getByText(/Too many requests\. Try again at|Saved/)
    await responses.first().waitFor()
    if (await page.getByText(/Too many requests\. Try again at .*\d/).isVisible()) return true
    await part.getByLabel('Origins').fill(`https://shop${Math.trunc(performance.now())}.example.com`)
    return false
  }
  await expect.poll(usedUp).toBe(true)
  await merchant.close()
})

test('point 33: making a payment link has no violation, wide and narrow, light and dark', async () => {
  const merchant = await openSignedIn(browser, service, '/payment-links/new')
  await merchant.page.getByRole('heading', { name: 'New payment link' }).waitFor()
  expect(await errorsInAllLooks(merchant.page)).toEqual([])
  expect(merchant.problems).toEqual([])
  await merchant.close()
})
