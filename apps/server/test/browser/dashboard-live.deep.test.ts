import { createPublicClient, createTestClient, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const operatorKey = generatePrivateKey()
const settings = { OPERATOR_WALLETS: privateKeyToAddress(operatorKey) }
const service = perFile(() => startLocalService({ settings }))
const browser = perFile(openBrowser)

const receipt = { currency: 'USD', lineItems: [{ label: 'Coffee', amount: 5 }] }

/** Disables the event stream, so that the page polls every ten seconds. */
const withoutStream =
  'delete globalThis.EventSource; globalThis.EventSource = class extends EventTarget { close() {} }'

test('a payment appears on an open screen without a reload, told by the event stream', async () => {
  await service.createReceipt('live-1', receipt)
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page } = merchant
  await page.getByRole('status').filter({ hasText: 'Up to date' }).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'live-1' })
  expect(await row.innerText()).toContain('Awaiting payment')
  await service.pay('live-1')
  await row.getByText(/Paid|Distributed/).waitFor()
  await page.getByRole('link', { name: /^Paid 1/ }).waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('without the stream the screen is read again by itself, and a lost connection is said and mended', async () => {
  await service.createReceipt('live-2', receipt)
  const merchant = await openSignedIn(browser, service, '/receipts/live-2', {
    initScript: withoutStream,
  })
  const { page } = merchant
  await page.getByRole('status').filter({ hasText: 'Updates every 10 s' }).waitFor()
  await service.pay('live-2')
  await page.getByText('Distribution').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('status').filter({ hasText: 'Updates every 10 s' }).waitFor()
  await merchant.close()
})

test('offline, no screen waits for ever: each says so, and shows what there is once the connection is back', async () => {
  await service.createReceipt('live-3', receipt)
  const { page, close } = await openSignedIn(browser, service, '/receipts')
  await page.getByText('live-3').first().waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Nothing needs your attention').waitFor()
  await page.context().setOffline(true)
  const unreachable = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
  await page.getByRole('link', { name: '7 days' }).click()
  await unreachable.first().waitFor()
  await page.getByRole('link', { name: 'Team' }).click()
  await unreachable.waitFor()
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByText('You see the last known state').waitFor()
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Nothing needs your attention').waitFor()
  await close()
})

test("money that matches nothing and a buyer's claim to it appear on the open screens, without a reload", async () => {
  const chain = createPublicClient({ transport: http(service.rpcUrl) })
  const merchant = await openSignedIn(browser, service, '/overview', { initScript: withoutStream })
  const { page } = merchant
  await page.getByText('Nothing needs your attention').waitFor()
  const { body } = await merchant.ask('GET', '/api/split/deploy')
  const data = transferData(body.split.address, 4_000_000n)
  await service.send({ to: service.tokens.USDC, data })
  // Returning to the tab refreshes it. The last change below relies on the timer.
  const lookBack = async (text: string) => {
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    return page.getByText(text).count()
  }
  const patience = { timeout: 60_000, interval: 500 }
  await expect.poll(() => lookBack('1 unmatched payment'), patience).toBe(1)
  const open = async () => (await merchant.ask('GET', '/api/payments/unmatched')).body.payments[0]
  const claim = async (contact: string) => {
    const { transactionHash } = await open()
    const { logs } = await chain.getTransactionReceipt({ hash: transactionHash })
    const [{ logIndex } = {}] = logs
    const wanted = { transactionHash, logIndex, refundAddress: service.buyer.address, contact }
    const sent = await fetch(`${service.baseUrl}/api/payments/claims`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wanted),
    })
    expect(sent.status).toBeLessThan(300)
  }
  await claim('first@buyers.example')
  await expect.poll(() => lookBack('A buyer claimed an unmatched payment'), patience).toBe(1)
  await page.getByRole('link', { name: 'A buyer claimed an unmatched payment' }).click()
  await page.getByText('first@buyers.example').waitFor()
  await claim('second@buyers.example')
  await page.getByText('second@buyers.example').waitFor()
  const { id } = await open()
  const keep = async () =>
    (await merchant.ask('POST', `/api/payments/unmatched/${id}`, { action: 'keep' })).status
  await expect.poll(keep, { timeout: 60_000, interval: 500 }).toBe(200)
  expect(merchant.problems.filter((problem) => !problem.includes('409'))).toEqual([])
  await merchant.close()
})

test('the overview shows whether gas is low and that no deposits are waiting', async () => {
  const keeper = await (await logInOwner(service, operatorKey)).send('GET', '/api/keeper')
  expect(keeper).toMatchObject({ gas: 'enough', balanceRaw: expect.stringMatching(/^[1-9][0-9]+$/) })
  const chain = createTestClient({ mode: 'anvil', transport: http(service.rpcUrl) })
  await chain.setBalance({ address: keeper.address, value: 0n })
  const merchant = await openSignedIn(browser, service, '/overview')
  await merchant.page.getByRole('link', { name: 'low on gas' }).waitFor()
  expect((await merchant.ask('GET', '/api/keeper')).body).toEqual({ gas: 'low' })
  expect((await merchant.ask('GET', '/api/deposits/waiting')).body.deposits).toEqual([])
  await chain.setBalance({ address: keeper.address, value: BigInt(keeper.balanceRaw) })
  await merchant.page.reload()
  await merchant.page.getByText('Nothing needs your attention').waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('the overview adds up what was paid, shows the same numbers as a table, and names what needs a decision', async () => {
  await service.createReceipt('live-3', receipt)
  await service.pay('live-3')
  await expect.poll(() => service.status('live-3')).toBe('reconciled')
  const merchant = await openSignedIn(browser, service, '')
  const { page } = merchant
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(page.url()).toContain('/overview')
  const { body } = await merchant.ask('GET', '/api/receipts/summary')
  const [usd] = body.totals
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
  await page.getByText(format.format(usd.paid)).first().waitFor()
  await page.getByRole('img', { name: /highest value/ }).waitFor()
  await page.getByRole('button', { name: 'Show as table' }).click()
  const table = page.getByRole('region', { name: 'Payments over time' }).last()
  expect(await table.getByRole('row').last().innerText()).toContain(format.format(usd.paid))
  await page.getByText('Nothing needs your attention').waitFor()
  const asked = {
    receiptId: 'live-3',
    wallet: service.merchant.address,
    status: 'refund_requested',
    reason: 'Cold',
  }
  expect((await merchant.ask('POST', '/api/receipts/status', asked)).status).toBe(200)
  await page.getByRole('link', { name: '1 buyer is waiting for a refund' }).click()
  await page.getByRole('link', { name: 'live-3' }).waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

async function sendTo(id: string, units: bigint): Promise<void> {
  const path = `/api/checkout/${id}/attempts?recipient=${service.merchant.address}`
  const headers = { 'content-type': 'application/json' }
  const asked = { method: 'POST', headers, body: JSON.stringify({ token: 'USDC' }) }
  const { depositAddress } = (await (await fetch(service.baseUrl + path, asked)).json()) as {
    depositAddress: Hex
  }
  await service.send({ to: service.tokens.USDC, data: transferData(depositAddress, units) })
}

test('expired, under- and overpaid receipts are shown as what they are, in the list, its counts and what needs a decision', async () => {
  const soon = { ...receipt, expiresAt: Date.now() + 1_500 }
  for (const [id, body] of Object.entries({
    'odd-part': receipt,
    'odd-more': receipt,
    'odd-late': soon,
    'odd-off': receipt,
  }))
    await service.createReceipt(id, body)
  await sendTo('odd-part', 2_000_000n)
  await sendTo('odd-more', 9_000_000n)
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page, ask } = merchant
  await ask('POST', '/api/receipts/odd-off/cancel')
  const row = (id: string) => page.getByRole('row').filter({ hasText: id })
  for (const [id, shown] of Object.entries({
    'odd-part': 'Partially paid',
    'odd-more': 'Overpaid',
    'odd-late': 'Expired',
    'odd-off': 'Cancelled',
  }))
    await row(id).getByText(shown).waitFor()
  const tabs = page.getByRole('navigation', { name: 'Receipts by status' })
  for (const name of ['Partially paid 1', 'Overpaid 1', 'Expired 1'])
    await tabs.getByRole('link', { name }).waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await tabs.getByText('Awaiting payment').click()
  await expect.poll(() => row('odd-').count()).toBe(0)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: '1 receipt is partially paid' }).click()
  await row('odd-part').waitFor()
  expect(await row('odd-more').count()).toBe(0)
  await page.getByRole('link', { name: 'odd-part' }).click()
  await page.getByText('is still due').waitFor()
  expect(await page.getByRole('main').innerText()).toContain('Partially paid')
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: '1 receipt was overpaid' }).click()
  await row('odd-more').waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('the gross is what was paid and what is awaited: what failed, was cancelled or expired is no part of it', async () => {
  for (const id of ['gross-1', 'gross-2']) await service.createReceipt(id, receipt)
  const merchant = await openSignedIn(browser, service, '/receipts')
  const { page, ask } = merchant
  await ask('POST', '/api/receipts/gross-1/cancel')
  await page.getByRole('link', { name: 'Overview' }).click()
  const { totals, count, byDisplayStatus } = (await ask('GET', '/api/receipts/summary')).body
  const [{ paid, awaiting, total }] = totals
  const lost = byDisplayStatus.failed + byDisplayStatus.cancelled + byDisplayStatus.expired
  expect(total).toBeGreaterThan(paid + awaiting)
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
  const gross = page.getByText('Gross').locator('..')
  await gross.getByText(format.format((paid * 100 + awaiting * 100) / 100)).waitFor()
  await gross.getByText(`${count - lost} receipts`).waitFor()
  await merchant.close()
})
