import { createTestClient, type Hex, http, publicActions } from 'viem'
import { expect, test } from 'vitest'
import { startWebhookReceiver } from '../support/api/webhooks.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const receiver = perFile(() => startWebhookReceiver())

const usd = (amount: number, more: object = {}) => ({
  currency: 'USD',
  lineItems: [{ label: 'Coffee', amount }],
  ...more,
})

test('the money tracker follows every base unit from the buyer over the deposit to each recipient', async () => {
  await service.createReceipt('tracked', usd(20))
  const merchant = await openSignedIn(browser, service, '/receipts/tracked')
  const { page } = merchant
  await page.getByText('Nothing has been paid yet').waitFor()
  await service.pay('tracked')
  await expect.poll(() => service.status('tracked')).toBe('reconciled')
  await page.reload()
  await page.getByRole('heading', { name: 'Distribution' }).waitFor()
  const tracker = page.getByRole('region', { name: 'Payment progress' })
  const said = await tracker.innerText()
  const { body: money } = await merchant.ask('GET', '/api/receipts/tracked/money')
  expect(said).toContain('20.00\u00a0USDC')
  expect(said).toContain(String(money.payments[0].blockNumber))
  expect(said).toContain('final')
  const units = money.parts.map(({ amountRaw }: { amountRaw: string }) => BigInt(amountRaw))
  expect(units.reduce((sum: bigint, each: bigint) => sum + each, 0n)).toBe(20_000_000n)
  const rows = page.getByRole('region', { name: 'Distribution' }).getByRole('row')
  expect(await rows.count()).toBe(money.parts.length + 1)
  for (const { address } of money.parts)
    expect(await tracker.getByTitle(address).count()).toBeGreaterThanOrEqual(1)
  expect(await rows.nth(1).innerText()).toContain('Paid out')
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('point 50: the timeline is newest first, with the exact time on focus and each webhook attempt with its code', async () => {
  receiver.behave = () => 500
  await service.createReceipt('told', usd(5, { webhook_url: receiver.url }))
  await service.pay('told')
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(2)
  const merchant = await openSignedIn(browser, service, '/receipts/told')
  const { page } = merchant
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Webhook attempt 1: HTTP 500').first().waitFor()
  const entries = await timeline.getByRole('listitem').allInnerTexts()
  const times = await timeline
    .locator('time')
    .evaluateAll((found) =>
      found.map((each) => Date.parse((each as unknown as { dateTime: string }).dateTime)),
    )
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(entries.at(-1)).toContain('Created')
  const when = timeline.getByRole('listitem').first().locator('p[tabindex]')
  await when.focus()
  await timeline
    .getByText(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/)
    .first()
    .waitFor()
  receiver.behave = () => 200
  const before = receiver.received.length
  await page.getByRole('button', { name: 'Resend' }).first().click()
  await page.getByText('Webhook resent').waitFor()
  await expect.poll(() => receiver.received.length).toBeGreaterThan(before)
  await merchant.close()
})

test('a member copies the link of an unpaid receipt, edits the receipt, and cancels it after a confirmation', async () => {
  await service.createReceipt('draft', usd(7))
  const merchant = await openSignedIn(browser, service, '/receipts/draft', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = merchant
  await page.getByRole('button', { name: 'Copy payment link' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/pay/draft')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Edit items' }).click()
  await page.getByLabel('Amount (USD)').fill('8.25')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Receipt updated').waitFor()
  expect((await merchant.ask('GET', '/api/receipts/draft')).body.totalUsd).toBe(8.25)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Cancel receipt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel receipt' }).click()
  await page.getByText('Receipt cancelled').waitFor()
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('a payment whose block left the chain is said on the open screen, and so is its return', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: http(service.rpcUrl) }).extend(publicActions)
  const ask = (method: string, ...params: unknown[]) => chain.request({ method, params } as never)
  await service.createReceipt('lost', usd(6))
  const merchant = await openSignedIn(browser, service, '/receipts/lost')
  const { page } = merchant
  await page.getByText('Nothing has been paid yet').waitFor()
  // From here on, blocks are mined only on request, so the payment cannot become final.
  await service.setBlockTime(0)
  const paying = service.pay('lost')
  await expect.poll(async () => (await chain.getTxpoolStatus()).pending).toBeGreaterThan(0)
  await chain.mine({ blocks: 1 })
  await paying
  await expect.poll(() => service.status('lost')).toBe('paid')
  const tracker = page.getByRole('region', { name: 'Payment progress' })
  await tracker.getByText('6.00\u00a0USDC').first().waitFor()
  const { transactionHash } = (await merchant.ask('GET', '/api/receipts/lost')).body
  const raw = (await ask('debug_getRawTransaction', transactionHash)) as Hex
  await ask('anvil_reorg', 1, [])
  await chain.mine({ blocks: 1 })
  const box = page.getByRole('alert').filter({ hasText: 'The network reversed this payment' })
  await box.waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Network removed the payment’s block').waitFor()
  expect(await violations(page)).toEqual([])
  await chain.sendRawTransaction({ serializedTransaction: raw })
  await service.setBlockTime(1)
  await timeline.getByText('Payment is on the blockchain again').waitFor()
  await box.waitFor({ state: 'detached' })
  expect((await merchant.ask('GET', '/api/receipts/lost')).body.transactionHash).toBe(transactionHash)
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('a manual status change requires a reason, in a dialog that keeps the focus and closes with Esc', async () => {
  await service.createReceipt('by-hand', usd(9))
  const merchant = await openSignedIn(browser, service, '/receipts/by-hand')
  const { page } = merchant
  const more = page.getByRole('button', { name: 'More' })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Mark as paid' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Mark as paid' })
  await dialog.waitFor()
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press('Tab')
    const isInside =
      'document.activeElement === document.body || document.activeElement.closest("dialog") !== null'
    expect(await page.evaluate(isInside)).toBe(true)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('More')
  expect(await service.status('by-hand')).toBe('pending')
  await more.click()
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click()
  await dialog.getByRole('button', { name: 'Mark as paid' }).click()
  await dialog.getByText('Enter a value').waitFor()
  expect(await service.status('by-hand')).toBe('pending')
  await dialog.getByLabel('Reason').fill('Paid in cash at the counter')
  await dialog.getByRole('button', { name: 'Mark as paid' }).click()
  await page.getByText('Status updated').waitFor()
  await page.getByText('Paid in cash at the counter').waitFor()
  expect(await service.status('by-hand')).toBe('paid')
  await merchant.close()
})

test('point 33: a receipt in full has no violation, wide and narrow, light and dark', async () => {
  await service.createReceipt(`long-${'name'.repeat(24)}`, {
    currency: 'EUR',
    lineItems: Array.from({ length: 12 }, (_, i) => ({
      label: `Line ${i} ${'word '.repeat(12)}`,
      amount: 1.5,
    })),
    metadata: { order: { id: 1, tags: ['a', 'b'] } },
    transactionId: 'my-reference-1',
    billingEmail: 'buyer@example.com',
  })
  const merchant = await openSignedIn(browser, service, '/receipts/tracked')
  const { page } = merchant
  for (const id of ['tracked', 'told', `long-${'name'.repeat(24)}`]) {
    await page.goto(`${service.baseUrl}/app/receipts/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.getByRole('heading', { name: 'Payment progress' }).waitFor()
    expect(await errorsInAllLooks(page)).toEqual([])
  }
  expect(merchant.problems).toEqual([])
  await merchant.close()
})
