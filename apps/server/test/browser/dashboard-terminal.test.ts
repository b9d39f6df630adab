import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const tablet = { viewport: { width: 768, height: 1024 } }

test('a sale of 12.50 with tax needs two clicks after the digits, and a large message confirms the payment', async () => {
  const till = await openSignedIn(browser, service, '/terminal', tablet)
  const { page } = till
  await page.getByRole('button', { name: 'Add a tax' }).click()
  await page.getByLabel('Jurisdiction').selectOption('US-CA')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'No tax' }).click()
  for (const key of ['1', '2', '5', '0']) await page.getByRole('button', { name: key, exact: true }).click()
  await page.getByRole('button', { name: /US-CA/ }).click()
  const charge = page.getByRole('button', { name: /^Charge/ })
  const reported = await charge.innerText()
  await charge.click()
  const qr = page.getByRole('img', { name: 'QR code' })
  await qr.waitFor()
  const box = await qr.boundingBox()
  expect(box?.width).toBeGreaterThanOrEqual(280)
  const url = await readQr(qr)
  const id = url?.split('/').at(-1) ?? ''
  const { body } = await till.ask('GET', `/api/receipts/${id}`)
  expect(body.lineItems).toMatchObject([{ priceUsd: 12.5 }, { label: 'Tax' }])
  expect(reported).toContain(body.total.toFixed(2))
  await service.pay(id)
  const paid = page.getByRole('status').filter({ hasText: 'Paid' })
  await paid.waitFor({ timeout: 60_000 })
  const size = `parseFloat(getComputedStyle(
    [...document.querySelectorAll('dialog [role=status]')].find((it) => it.textContent.includes('Paid')),
  ).fontSize)`
  expect(await page.evaluate<number>(size)).toBeGreaterThanOrEqual(48)
  expect(await violations(page)).toEqual([])
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('body').innerText()).toMatch(/^Payment received/)
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('button', { name: 'Next sale' }).click()
  await expect.poll(() => charge.isDisabled()).toBe(true)
  expect(till.problems).toEqual([])
  await till.close()
})

test('a till without a connection says that nothing is known, and knows again by itself', async () => {
  const till = await openSignedIn(browser, service, '/terminal', tablet)
  const { page } = till
  await page.keyboard.type('700')
  await page.getByRole('button', { name: 'Charge $7.00' }).click()
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('alert').filter({ hasText: 'Do not hand over anything' }).waitFor()
  await page.context().setOffline(false)
  await page
    .getByRole('alert')
    .filter({ hasText: 'Do not hand over anything' })
    .waitFor({ state: 'detached' })
  const id = (await readQr(page.getByRole('img', { name: 'QR code' })))?.split('/').at(-1)
  await page.getByRole('button', { name: 'Cancel sale' }).click()
  await page.getByRole('heading', { name: 'Terminal' }).waitFor()
  await expect
    .poll(async () => (await till.ask('GET', `/api/receipts/${id}`)).body.cancelledAt)
    .toEqual(expect.any(Number))
  await till.close()
})

test('point 57: a cashier sells and watches the payment', async () => {
  const owner = await openSignedIn(browser, service, '/terminal')
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAccount(privateKey).address
  expect((await owner.ask('POST', '/api/members', { wallet, role: 'cashier' })).status).toBe(201)
  await owner.close()
  const till = await openSignedIn(browser, service, '/terminal', { ...tablet, as: privateKey })
  const { page } = till
  await page.keyboard.type('350')
  await page.getByLabel('Currency').selectOption('EUR')
  await page.getByRole('button', { name: 'Charge €3.50' }).click()
  const qr = page.getByRole('img', { name: 'QR code' })
  await qr.waitFor()
  await service.pay((await readQr(qr))?.split('/').at(-1) ?? '')
  await page.getByRole('status').filter({ hasText: 'Paid' }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Next sale' }).click()
  await page.keyboard.type('200')
  await page.getByRole('button', { name: 'Charge €2.00' }).click()
  await qr.waitFor()
  const givenUp = (await readQr(qr))?.split('/').at(-1) ?? ''
  await page.getByRole('button', { name: 'Cancel sale' }).click()
  await expect
    .poll(async () => (await till.ask('GET', `/api/receipts/${givenUp}`)).body.cancelledAt)
    .toEqual(expect.any(Number))
  await page.goto(`${service.baseUrl}/app/receipts?tab=cancelled`)
  await page.getByRole('row').filter({ hasText: givenUp }).getByText('Cancelled').waitFor()
  await page.getByRole('link', { name: /^Awaiting payment/ }).click()
  await page.getByRole('link', { name: givenUp }).waitFor({ state: 'detached' })
  await till.close()
})

test('point 33: the terminal has no violation on a tablet and a phone, light and dark', async () => {
  const till = await openSignedIn(browser, service, '/terminal')
  await till.page.getByRole('button', { name: '00', exact: true }).waitFor()
  expect(await errorsInAllLooks(till.page)).toEqual([])
  await till.close()
})
