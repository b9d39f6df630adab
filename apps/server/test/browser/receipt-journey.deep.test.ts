import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import { createWalletClient, encodeFunctionData, erc20Abi, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { joinPdf, readPdf } from '../support/browser/read-pdf.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { registerSecrets } from '../support/secrets/secret-register.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const settled = { timeout: 60_000 }
const order = {
  lineItems: [
    { label: 'Kettle', priceUsd: 54.5 },
    { label: 'Filter', priceUsd: 10 },
  ],
  totalUsd: 64.5,
  billingFirstName: 'Ada',
  billingEmail: 'ada@example.com',
}

async function ask<T>(path: string): Promise<T> {
  const headers = { 'ocp-apim-subscription-key': service.subscriptionKey }
  return (await (await fetch(service.baseUrl + path, { headers })).json()) as T
}

const urlsOf = (id: string) => ask<{ receiptUrl: string; privateReceiptUrl: string }>(`/api/receipts/${id}`)

async function fromInbox(hash: Hex): Promise<UnmatchedPayment | undefined> {
  const { payments } = await ask<{ payments: UnmatchedPayment[] }>('/api/payments/unmatched')
  return payments.find((each) => each.transactionHash === hash)
}

async function transfer(to: Hex, units: bigint): Promise<Hex> {
  const account = privateKeyToAccount(service.buyer.privateKey)
  const wallet = createWalletClient({ account, transport: http(service.rpcUrl) })
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] })
  return wallet.sendTransaction({ chain: null, to: service.tokens.USDC, data })
}

async function payReceipt(id: string): Promise<{ to: Hex; hash: Hex }> {
  await service.createReceipt(id, order)
  const recipient = service.merchant.address
  const attempt = await fetch(`${service.baseUrl}/api/checkout/${id}/attempts?recipient=${recipient}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'USDC' }),
  })
  const { depositAddress: to, amount } = (await attempt.json()) as { depositAddress: Hex; amount: string }
  return { to, hash: await transfer(to, BigInt(amount)) }
}

describe('a receipt on a real chain', () => {
  test('shows its payment, follows the money until it is passed on, and is a PDF', async () => {
    const { hash } = await payReceipt('journey')
    await expect.poll(() => service.status('journey'), settled).toMatch(/paid|reconciled/)
    const { receiptUrl, privateReceiptUrl } = await urlsOf('journey')
    expect(new URL(receiptUrl).origin).toBe(service.baseUrl)
    const buyer = await openAsBuyer(browser, receiptUrl)
    const text = await buyer.page.locator('article').innerText()
    for (const part of ['Paid', '$64.50', 'Kettle', 'Filter', '64.50 USDC', service.buyer.address, hash])
      expect(text).toContain(part)
    expect(text).not.toContain('ada@example.com')
    const steps = buyer.page.locator('.tracker li.done')
    await expect.poll(() => steps.count(), settled).toBe(4)
    await buyer.page.getByText('How the payment is split').click()
    const parts = await buyer.page.locator('.parts li').allInnerTexts()
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) expect(part).toContain('Paid out')
    expect(buyer.problems).toEqual([])
    await buyer.close()

    const pdf = await fetch(receiptUrl.replace('?', '.pdf?'))
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    const words = joinPdf(await readPdf(new Uint8Array(await pdf.arrayBuffer())))
    for (const part of ['Kettle', '$64.50', hash, service.buyer.address]) expect(words).toContain(part)

    const own = await openAsBuyer(browser, privateReceiptUrl)
    expect(await own.page.locator('.buyer').innerText()).toContain('ada@example.com')
    await own.close()
    const wrong = await openAsBuyer(
      browser,
      privateReceiptUrl.replace(/.$/, (end: string) => (end === '0' ? '1' : '0')),
    )
    expect(await wrong.page.locator('.buyer').count()).toBe(0)
    await wrong.close()
  })

  test('that is not paid yet leads to the checkout', async () => {
    await service.createReceipt('journey-unpaid', order)
    const { receiptUrl } = await urlsOf('journey-unpaid')
    const buyer = await openAsBuyer(browser, receiptUrl)
    await buyer.page.getByRole('link', { name: 'Go to the checkout' }).click()
    await buyer.page.locator('#panel[data-kind=payable]').waitFor()
    await buyer.close()
  })

  test('is nothing under another recipient', async () => {
    await service.createReceipt('journey-other', order)
    const { receiptUrl } = await urlsOf('journey-other')
    const url = new URL(receiptUrl)
    url.searchParams.set('recipient', service.buyer.address)
    for (const path of [url.href, url.href.replace('?', '.pdf?')])
      expect((await fetch(path)).status).toBe(404)
  })
})

describe('a payment that reached no receipt', () => {
  test('is found by its transaction, claimed by the wallet that sent it, and shown to the merchant', async () => {
    const { to } = await payReceipt('journey-twice')
    await expect.poll(() => service.status('journey-twice'), settled).toMatch(/paid|reconciled/)
    const hash = await transfer(to, 7_000_000n)
    await expect.poll(async () => (await fromInbox(hash))?.state, settled).toBe('open')
    const wallet = new TestWallet({ privateKey: service.buyer.privateKey, rpcUrl: service.rpcUrl })
    const buyer = await openAsBuyer(browser, `${service.baseUrl}/claim`, { wallets: [wallet] })
    const { page } = buyer
    await page.getByLabel('Transaction hash').fill(hash)
    await page.getByRole('button', { name: 'Find payment' }).click()
    await page.getByText('Payment found').waitFor()
    const text = await page.locator('main').innerText()
    expect(text).toContain('7.00 USDC')
    expect(text).not.toMatch(new RegExp(`journey-twice|${service.merchant.address}`, 'i'))

    await page.getByLabel('Contact details (optional)').fill('ada@example.com')
    await page.getByRole('button', { name: `Sign with ${wallet.name}` }).click()
    await page.getByText('Claim sent to the merchant').waitFor()
    expect(await page.locator('main').innerText()).toContain('Signed by the wallet that made the payment')
    expect(wallet.count('eth_sendTransaction')).toBe(0)
    expect(buyer.problems).toEqual([])

    const unmatched = await fromInbox(hash)
    expect(unmatched).toMatchObject({
      state: 'open',
      claim: { isProven: true, wallet: service.buyer.address, contact: 'ada@example.com' },
    })
    expect(new URL(page.url()).pathname).toBe(`/claim/${unmatched?.claim?.id}`)
    await buyer.close()
  })

  test('is not claimed by another wallet, nor where the buyer declines to sign', async () => {
    const { to } = await payReceipt('journey-thief')
    await expect.poll(() => service.status('journey-thief'), settled).toMatch(/paid|reconciled/)
    const hash = await transfer(to, 8_000_000n)
    const url = `${service.baseUrl}/claim?hash=${hash}`
    await expect.poll(async () => (await fromInbox(hash))?.state, settled).toBe('open')
    expect(await (await fetch(url)).text()).toContain('Payment found')

    const privateKey = generatePrivateKey()
    registerSecrets(privateKey)
    const thief = new TestWallet({ privateKey, rpcUrl: service.rpcUrl })
    const stranger = await openAsBuyer(browser, url, { wallets: [thief] })
    await stranger.page.getByRole('button', { name: `Sign with ${thief.name}` }).click()
    await stranger.page.getByRole('alert').getByText('another account').waitFor()
    expect(thief.count('eth_signTypedData_v4')).toBe(0)
    await stranger.close()

    const wallet = new TestWallet({ privateKey: service.buyer.privateKey, rpcUrl: service.rpcUrl })
    wallet.refuse('eth_signTypedData_v4')
    const buyer = await openAsBuyer(browser, url, { wallets: [wallet] })
    await buyer.page.getByRole('button', { name: `Sign with ${wallet.name}` }).click()
    await buyer.page.getByRole('alert').getByText('declined the request in your wallet').waitFor()
    expect((await fromInbox(hash))?.claim).toBeNull()
    await buyer.close()
  })
})
