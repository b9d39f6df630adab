import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const total = { currency: 'USD', lineItems: [{ label: 'Kettle', amount: 64.5 }] }

async function payByCard(id: string, number: string): Promise<void> {
  const { search } = new URL(await service.createReceipt(id, total))
  const opened = await fetch(`${service.baseUrl}/api/checkout/${id}/onramp${search}`, { method: 'POST' })
  expect(opened.status).toBe(201)
  const { url } = (await opened.json()) as { url: string }
  const body = new URLSearchParams({ method: 'card', number })
  const headers = { origin: service.baseUrl }
  expect((await fetch(url, { method: 'POST', redirect: 'manual', headers, body })).status).toBe(303)
}

test('a declined card is shown with its reason, what to do, its codes and the reference of support', async () => {
  await payByCard('declined', failingCards.PORTAL_PAY_BANK_POLICY)
  await expect.poll(() => service.status('declined')).toBe('failed')
  const merchant = await openSignedIn(browser, service, '/receipts/declined', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = merchant
  const box = page.getByRole('region', { name: 'The payment failed' })
  await box.waitFor()
  const said = await box.innerText()
  const { reason, action } = failures.PORTAL_PAY_BANK_POLICY
  const { body } = await merchant.ask('GET', '/api/receipts/status?receiptId=declined')
  expect(body.providerRequestId).toMatch(/^req_/)
  for (const text of [reason, action, body.failureCode, body.providerErrorCode, body.providerRequestId])
    expect(said).toContain(text)
  await box.getByRole('button').click()
  const clipboard = () => page.evaluate('navigator.clipboard.readText()')
  await expect.poll(clipboard).toBe(body.providerRequestId)
  await page.getByText('Nothing has been paid yet').waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('what a buyer cancelled is not completed, which is no failure and needs nobody', async () => {
  await payByCard('stopped', failingCards.PORTAL_PAY_CANCELLED)
  await expect.poll(() => service.status('stopped')).toBe('failed')
  const merchant = await openSignedIn(browser, service, '/receipts/stopped')
  const { page } = merchant
  const box = page.getByRole('region', { name: 'Not completed' })
  await box.waitFor()
  expect(await box.innerText()).toContain(failures.PORTAL_PAY_CANCELLED.reason)
  expect(await page.getByText('Failed', { exact: true }).count()).toBe(0)
  expect(await errorsInAllLooks(page)).toEqual([])
  await page.getByRole('link', { name: 'Receipts', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'stopped' }).getByText('Not completed').waitFor()
  await page.getByRole('link', { name: /^Not completed 1/ }).waitFor()
  expect(await page.getByRole('link', { name: /^Failed [01]$/ }).count()).toBe(1)
  await merchant.close()
})

test("the money tracker follows a card payment from the provider's delivery to each recipient", async () => {
  await payByCard('by-card', payingCard)
  await expect.poll(() => service.status('by-card')).toBe('reconciled')
  const merchant = await openSignedIn(browser, service, '/receipts/by-card')
  const { page } = merchant
  await page.getByRole('heading', { name: 'Distribution' }).waitFor()
  expect(await page.getByRole('region', { name: 'The payment failed' }).count()).toBe(0)
  const tracker = page.getByRole('region', { name: 'Payment progress' })
  const { body: money } = await merchant.ask('GET', '/api/receipts/by-card/money')
  expect(money.payments).toHaveLength(1)
  const said = await tracker.innerText()
  expect(said).toContain('64.50\u00a0USDC')
  expect(said).toContain(String(money.payments[0].blockNumber))
  const units = money.parts.map(({ amountRaw }: { amountRaw: string }) => BigInt(amountRaw))
  expect(units.reduce((sum: bigint, each: bigint) => sum + each, 0n)).toBe(64_500_000n)
  const rows = page.getByRole('region', { name: 'Distribution' }).getByRole('row')
  expect(await rows.count()).toBe(money.parts.length + 1)
  expect(await rows.nth(1).innerText()).toContain('Paid out')
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('point 33: receipts paid and declined by card have no violation, wide and narrow, light and dark', async () => {
  const merchant = await openSignedIn(browser, service, '/receipts/declined')
  const { page } = merchant
  for (const id of ['declined', 'by-card']) {
    await page.goto(`${service.baseUrl}/app/receipts/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.getByRole('heading', { name: 'Payment progress' }).waitFor()
    expect(await errorsInAllLooks(page)).toEqual([])
  }
  expect(merchant.problems).toEqual([])
  await merchant.close()
})
