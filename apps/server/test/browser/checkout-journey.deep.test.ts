import type { Page } from 'playwright-core'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { type BuyerPage, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { type LocalService, startLocalService } from '../support/service/local-service.ts'

let service: LocalService
let browser: TestBrowser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startLocalService(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const lines = { lineItems: [{ label: 'Kettle', priceUsd: 64.5 }], totalUsd: 64.5 }
const settled = { timeout: 60_000 }

describe('a real receipt on a real chain', () => {
  it.each([
    ['USDC', 1],
    ['USDT', 2],
    ['ETH', 1],
  ] as const)('is paid in %s by a wallet in the browser, and told to be', async (token, transactionCount) => {
    const id = `wallet-${token}`
    const { buyer, wallet } = await open(id, token)
    await buyer.page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
    if (token === 'USDC') await buyer.page.getByRole('button', { name: 'Pay the network fee myself' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    expect(wallet.count('eth_sendTransaction')).toBe(transactionCount)
    expect(await buyer.page.title()).toMatch(/^Payment complete · /)
    expect(['paid', 'reconciled']).toContain(await service.status(id))
    await expect.poll(() => service.status(id)).toBe('reconciled')
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it.each([
    'USDC',
    'ETH',
  ] as const)('is paid by a plain transfer of %s to the address shown', async (token) => {
    const { buyer } = await open(`transfer-${token}`, token)
    const { to, units } = await shownOffer(buyer.page, token)
    await transfer(token, to, units)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await buyer.close()
  })

  it('point 22: that got too little asks for the rest, and is complete with it', async () => {
    const { buyer } = await open('short', 'USDC')
    const { to, units } = await shownOffer(buyer.page, 'USDC')
    await transfer('USDC', to, units - 4_000_001n)
    await buyer.page.getByRole('heading', { name: 'Partial payment received' }).waitFor(settled)
    const rest = await shownOffer(buyer.page, 'USDC')
    expect(rest.units).toBe(4_000_001n)
    const facts = await buyer.page.locator('#stage .facts.split dd').allInnerTexts()
    expect(facts).toEqual(['60.499999 USDC', '4.000001 USDC'])
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=4000001')
    await transfer('USDC', rest.to, rest.units)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await buyer.close()
  })

  it('point 23: that got too much says by how much', async () => {
    const { buyer } = await open('over', 'USDC')
    const { to, units } = await shownOffer(buyer.page, 'USDC')
    await transfer('USDC', to, units + 1_000_001n)
    await buyer.page.locator('.head', { hasText: 'You paid 1.000001 USDC too much' }).waitFor(settled)
    await buyer.close()
  })

  it('point 19: over a larger amount shows how far it is until it is sure enough', async () => {
    const url = await service.createReceipt('large', {
      lineItems: [{ label: 'Oven', priceUsd: 1_640 }],
      totalUsd: 1_640,
    })
    const buyer = await openAsBuyer(browser, url)
    const { to, units } = await shownOffer(buyer.page, 'USDC')
    await service.setBlockTime(4)
    await transfer('USDC', to, units)
    await buyer.page.getByText(/^[1-9]\d* of [1-9]\d* confirmations$/).waitFor(settled)
    expect(await service.status('large')).toBe('pending')
    expect(await buyer.page.locator('.qr, .copy, .wallets').count()).toBe(0)
    await service.setBlockTime(1)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await buyer.close()
  })

  it('changes the token without losing the offer of the first', async () => {
    const { buyer } = await open('tokens', 'USDC')
    const first = await shownOffer(buyer.page, 'USDC')
    await buyer.page.getByRole('link', { name: /^ETH/ }).click()
    await buyer.page.getByRole('link', { name: /^USDC/ }).click()
    await buyer.page.locator('a[aria-current]', { hasText: 'USDC' }).waitFor()
    expect(await shownOffer(buyer.page, 'USDC')).toEqual(first)
    await buyer.close()
  })

  it('point 31: is nothing to another recipient', async () => {
    const url = new URL(await service.createReceipt('mine', lines))
    url.searchParams.set('recipient', service.buyer.address)
    expect((await fetch(url)).status).toBe(404)
    url.searchParams.delete('recipient')
    expect((await fetch(url)).status).toBe(404)
  })

  it('above what is taken here stays as it was, whoever opens its page or shows a preview of it', async () => {
    const url = await service.createReceipt('too-large', {
      lineItems: [{ label: 'Ship', priceUsd: 2_000_000 }],
      totalUsd: 2_000_000,
    })
    const id = new URL(url).pathname.split('/').pop()
    const api = `${service.baseUrl}/api/checkout/${id}${new URL(url).search}`
    for (const method of ['GET', 'HEAD'])
      for (const address of [url, api, url.replace('?', '/status?')]) await fetch(address, { method })
    expect(await (await fetch(url)).text()).toContain('This amount cannot be paid here')
    expect(await service.status('too-large')).toBe('pending')
    const { failure, attempt } = (await (await fetch(api)).json()) as Record<string, unknown>
    expect([failure, attempt]).toEqual([null, null])
  })

  it('point 32: in euro shows both amounts and the rate with its time, in dollars the one', async () => {
    const url = await service.createReceipt('euro', {
      currency: 'EUR',
      lineItems: [{ label: 'Lampe', amount: 80.4 }],
    })
    const buyer = await openAsBuyer(browser, url, { timezoneId: 'UTC' })
    const text = await buyer.page.locator('#summary').innerText()
    expect(text).toContain('€80.40')
    expect(text).toMatch(/\$\d+\.\d\d/)
    expect(text).toMatch(/1 EUR = \$[\d.]+, fixed \d+ \w+ \d{4}, \d\d:\d\d (UTC|GMT)/)
    await buyer.close()
    const plain = await openAsBuyer(browser, await service.createReceipt('dollars', lines))
    expect(await plain.page.locator('#summary').innerText()).not.toMatch(/€|fixed/)
    await plain.close()
  })
})

async function open(id: string, token: string): Promise<{ buyer: BuyerPage; wallet: TestWallet }> {
  const url = new URL(await service.createReceipt(id, lines))
  url.searchParams.set('token', token)
  const wallet = new TestWallet({ privateKey: service.buyer.privateKey, rpcUrl: service.rpcUrl })
  const buyer = await openAsBuyer(browser, url.href, { wallets: [wallet] })
  return { buyer, wallet }
}

async function shownOffer(page: Page, token: 'USDC' | 'ETH'): Promise<{ to: Hex; units: bigint }> {
  const amount = await page.getByRole('button', { name: 'Copy amount' }).getAttribute('data-copy')
  const [whole = '', fraction = ''] = (amount ?? '').split('.')
  const units = BigInt(whole + fraction.padEnd(token === 'USDC' ? 6 : 18, '0'))
  return { to: (await page.locator('dd .address').innerText()) as Hex, units }
}

function transfer(token: 'USDC' | 'ETH', to: Hex, units: bigint): Promise<void> {
  if (token === 'ETH') return service.send({ to, value: units })
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] })
  return service.send({ to: service.tokens.USDC, data })
}
