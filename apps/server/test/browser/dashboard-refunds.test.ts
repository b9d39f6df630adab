import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { violations } from '../support/browser/violations.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const paid = async (id: string, amounts: readonly number[]) => {
  const lineItems = amounts.map((amount, i) => ({ label: `Line ${i + 1}`, amount }))
  await service.createReceipt(id, { currency: 'USD', lineItems })
  await service.pay(id)
  await expect.poll(() => service.status(id)).toBe('reconciled')
}

test('a refund is at most the remaining amount, warns that it is final, is sent from the wallet on the right network, and is verified', async () => {
  await paid('refund-1', [12, 8])
  const merchant = await openSignedIn(browser, service, '/receipts/refund-1', { chainId: 1, knows: [31337] })
  const { page, wallet } = merchant
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByText('You can still refund $20.00 of $20.00').waitFor()
  const amount = page.getByLabel('Amount in US dollars')
  expect(await amount.inputValue()).toBe('20.00')
  expect(await page.getByLabel('Buyer’s wallet').inputValue()).toBe(service.buyer.address)
  await amount.fill('20.01')
  await page.getByRole('button', { name: 'Review refund' }).click()
  await page.getByText('You can refund at most $20.00').waitFor()
  await page.getByRole('checkbox', { name: 'Line 2' }).check()
  expect(await amount.inputValue()).toBe('8.00')
  await page.getByRole('button', { name: 'Review refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Check before you send' })
  await dialog.getByText('8.00\u00a0USDC').waitFor()
  const said = await dialog.innerText()
  expect(said).toContain(service.buyer.address)
  expect(said).toContain('cannot undo a payment')
  wallet.refuse('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await dialog.getByText('declined the payment in your wallet. Nothing was sent').waitFor()
  wallet.accept('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await page.getByRole('heading', { name: 'Refund recorded' }).waitFor()
  expect(wallet.count('wallet_switchEthereumChain')).toBe(1)
  await page.getByText('Verified on the blockchain').waitFor()
  const { body } = await merchant.ask('GET', '/api/receipts/refund-1')
  expect(body.refunds).toMatchObject([
    { usd: 8, buyer: service.buyer.address, mark: 'recipient_validated', items: [{ label: 'Line 2' }] },
  ])
  expect(await page.locator('main').innerText()).toContain(body.refunds[0].txHash.slice(0, 8))
  await page.getByRole('link', { name: 'View receipt' }).click()
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByText('You can still refund $12.00 of $20.00').waitFor()
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('money that was sent but not recorded is recorded first, after a reload too', async () => {
  await paid('refund-2', [5])
  const merchant = await openSignedIn(browser, service, '/refunds/new?receiptId=refund-2')
  const { page, wallet } = merchant
  await page.route('**/api/receipts/refund', (route) => route.abort())
  await page.getByRole('button', { name: 'Review refund' }).click()
  await page.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await page.getByText('Refund sent').waitFor()
  await page.unroute('**/api/receipts/refund')
  await page.reload()
  await page.getByText('A refund was sent but not recorded').waitFor()
  await page.getByRole('button', { name: 'Record refund' }).click()
  await page.getByText('Verified on the blockchain').waitFor()
  expect(wallet.count('eth_sendTransaction')).toBe(1)
  expect(await service.status('refund-2')).toBe('refunded')
  await merchant.close()
})

test('what was paid beyond the price is refunded by itself, and the receipt says which part went back', async () => {
  await service.createReceipt('refund-4', { currency: 'USD', lineItems: [{ label: 'Pot', amount: 7 }] })
  const merchant = await openSignedIn(browser, service, '/receipts/refund-4')
  const { page } = merchant
  const attempts = `/api/checkout/refund-4/attempts?recipient=${service.merchant.address}`
  const { depositAddress } = (await merchant.ask('POST', attempts, { token: 'USDC' })).body
  await service.send({ to: service.tokens.USDC, data: transferData(depositAddress, 9_500_000n) })
  await expect.poll(() => service.status('refund-4')).toBe('reconciled')
  await page.getByText('2.50\u00a0USDC').first().waitFor()
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Refund type').selectOption('excess')
  await page.getByText('You can still refund $2.50 of $2.50').waitFor()
  await page.getByRole('button', { name: 'Review refund' }).click()
  await page.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await page.getByText('Verified on the blockchain').waitFor()
  await page.getByRole('link', { name: 'View receipt' }).click()
  const refunds = page.getByRole('region', { name: 'Refunds' })
  await refunds.getByText('Overpayment').waitFor()
  expect(await refunds.innerText()).toContain('$2.50')
  expect(await service.status('refund-4')).toBe('reconciled')
  const { refunds: kept } = (await merchant.ask('GET', '/api/receipts/refund-4')).body
  expect(kept).toMatchObject([{ kind: 'excess', usd: 2.5, buyer: service.buyer.address }])
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByText('You can still refund $7.00 of $7.00').waitFor()
  expect(await violations(page)).toEqual([])
  expect(merchant.problems).toEqual([])
  await merchant.close()
})

test('a request goes into the queue with its reason, and leaves it once it is refunded', async () => {
  await paid('refund-3', [4])
  const merchant = await openSignedIn(browser, service, '/refunds')
  const { page } = merchant
  await page.getByText('No refunds here').waitFor()
  const body = {
    receiptId: 'refund-3',
    wallet: service.merchant.address,
    status: 'refund_requested',
    reason: 'Cold',
  }
  expect((await merchant.ask('POST', '/api/receipts/status', body)).status).toBe(200)
  await page.reload()
  await page.getByRole('link', { name: 'refund-3' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByRole('heading', { name: 'Refund to' }).waitFor()
  for (const width of [1280, 768, 320]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await violations(page)).toEqual([])
  }
  await page.getByLabel('How to pay the refund').selectOption('elsewhere')
  await page.getByRole('button', { name: 'Review refund' }).click()
  await page.getByRole('button', { name: 'Record refund' }).click()
  await page.getByRole('heading', { name: 'Refund recorded' }).waitFor()
  expect(await service.status('refund-3')).toBe('refunded')
  await merchant.close()
})

test('a member applies one unmatched payment to a receipt, refunds another, and keeps a third', async () => {
  await service.createReceipt('target-77', { currency: 'USD', lineItems: [{ label: 'Tea', amount: 3 }] })
  const merchant = await openSignedIn(browser, service, '/unmatched')
  const { page } = merchant
  await page.getByText('No open payments').waitFor()
  const { body } = await merchant.ask('GET', '/api/split/deploy')
  for (const units of [3_000_000n, 1_250_001n, 2_000_000n])
    await service.send({ to: service.tokens.USDC, data: transferData(body.split.address, units) })
  await expect
    .poll(async () => (await merchant.ask('GET', '/api/payments/unmatched')).body.payments.length, {
      timeout: 60_000,
    })
    .toBe(3)
  await page.reload()
  const cardOf = (amount: string) => page.getByRole('article').filter({ hasText: amount })
  await cardOf('1.250001\u00a0USDC').waitFor()
  expect(await cardOf('1.250001').innerText()).toContain('Sent directly to the split')
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await violations(page)).toEqual([])
  }
  await cardOf('3.00\u00a0USDC').getByRole('button', { name: 'Apply to a receipt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a receipt').fill('target')
  await dialog.getByRole('radio', { name: /target-77/ }).check()
  expect(await violations(page)).toEqual([])
  // The service reports that the payment is not final yet. The input is kept.
  const apply = dialog.getByRole('button', { name: 'Apply', exact: true })
  const outcome = async () => {
    if ((await apply.count()) > 0) await apply.click({ timeout: 1_000 }).catch(() => {})
    if (await page.getByText('Payment applied').isVisible()) return 'applied'
    return dialog.innerText({ timeout: 1_000 }).catch(() => 'no dialog')
  }
  await expect.poll(outcome, { timeout: 60_000, interval: 500 }).toBe('applied')
  await expect.poll(() => service.status('target-77')).toMatch(/paid|reconciled/)
  await cardOf('1.250001').getByRole('button', { name: 'Refund' }).click()
  await dialog.getByText(service.buyer.address.slice(0, 6)).waitFor()
  await dialog.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await page.getByText('Refund recorded').waitFor()
  await cardOf('2.00\u00a0USDC').getByRole('button', { name: 'Keep' }).click()
  await dialog.getByLabel('Note (optional)').fill('A tip')
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await page.getByText('No open payments').waitFor()
  await page.getByRole('link', { name: 'Kept' }).click()
  await page.getByText('A tip').waitFor()
  const states = (await merchant.ask('GET', '/api/payments/unmatched?state=all')).body.payments
  expect(states.map(({ state }: { state: string }) => state).toSorted()).toEqual([
    'applied',
    'kept',
    'refunded',
  ])
  expect(merchant.problems).toEqual([])
  await merchant.close()
})
