import { permit2Address } from '@sluice/contracts/abi/Permit2.ts'
import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Page } from 'playwright-core'
import { createPublicClient, encodeFunctionData, type Hex, http } from 'viem'
import { describe, expect, it } from 'vitest'
import { anvilClient } from '../../src/local/anvil.ts'
import { newWallet } from '../support/api/sessions.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { TestWallet, type TestWalletOptions } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const lines = { lineItems: [{ label: 'Kettle', priceUsd: 64.5 }], totalUsd: 64.5 }
const settled = { timeout: 60_000 }
const sign = { name: 'Pay with one signature' }

async function open(
  id: string,
  options: Partial<TestWalletOptions> = {},
  [token, units]: readonly ['USDC' | 'cbBTC' | 'USDT', bigint] = ['USDC', 100_000_000n],
) {
  const { wallet: address, privateKey } = newWallet()
  await give(token, address, units)
  const url = new URL(await service.createReceipt(id, lines))
  url.searchParams.set('token', token)
  const wallet = new TestWallet({ privateKey, rpcUrl: service.rpcUrl, ...options })
  const buyer = await openAsBuyer(browser, url.href, { wallets: [wallet] })
  const pay = () => buyer.page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
  return { ...buyer, wallet, pay }
}

async function give(token: 'USDC' | 'cbBTC' | 'USDT', to: Hex, units: bigint) {
  const client = anvilClient(service.rpcUrl)
  const { address } = service.buyer
  await client.impersonateAccount({ address })
  const data = encodeFunctionData({ abi: testUSDCAbi, functionName: 'mint', args: [to, units] })
  const hash = await client.sendUnsignedTransaction({ from: address, to: service.tokens[token], data })
  await client.waitForTransactionReceipt({ hash })
}

/** Sends the wallet's approval transaction. The wallet then has no ETH left. */
async function approvePermit2(address: Hex, approved: bigint) {
  const client = anvilClient(service.rpcUrl)
  await client.setBalance({ address, value: 10n ** 18n })
  await client.impersonateAccount({ address })
  const args = [permit2Address, approved] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  const hash = await client.sendUnsignedTransaction({ from: address, to: service.tokens.USDT, data })
  await client.waitForTransactionReceipt({ hash })
  await client.setBalance({ address, value: 0n })
}

async function seePaid(page: Page, wallet: TestWallet) {
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
  expect(wallet.count('eth_signTypedData_v4')).toBe(1)
  expect(wallet.count('eth_sendTransaction')).toBe(0)
  const [, typed] = wallet.calls.find(({ method }) => method === 'eth_signTypedData_v4')?.params ?? []
  return JSON.parse(String(typed))
}

async function endWithoutEth(id: string, { address }: TestWallet) {
  const chain = createPublicClient({ transport: http(service.rpcUrl) })
  expect(await chain.getBalance({ address })).toBe(0n)
  await expect.poll(() => service.status(id)).toBe('reconciled')
}

describe('a wallet that holds no ETH', () => {
  it('pays with one signature and sees the payment complete', async () => {
    const { page, wallet, pay, problems, close } = await open('gasless')
    await pay()
    await page.getByRole('button', sign).click()
    const { domain, message, primaryType } = await seePaid(page, wallet)
    expect(primaryType).toBe('TransferWithAuthorization')
    expect([domain.name, domain.version, domain.chainId]).toEqual(['USD Coin', '2', 31337])
    expect([message.from, message.value]).toEqual([wallet.address, '64500000'])
    await endWithoutEth('gasless', wallet)
    expect(problems).toEqual([])
    await close()
  })

  it('pays with one signature in a token that has permits only', async () => {
    const { page, wallet, pay, problems, close } = await open('permitted', {}, ['cbBTC', 100_000_000n])
    const release = wallet.hold('eth_signTypedData_v4')
    await pay()
    await page.getByRole('button', sign).click()
    await page.locator('#stage').getByText('for this payment only').waitFor()
    release()
    const { domain, message, primaryType } = await seePaid(page, wallet)
    expect([primaryType, domain.name, message.owner]).toEqual([
      'Permit',
      'Coinbase Wrapped BTC',
      wallet.address,
    ])
    await endWithoutEth('permitted', wallet)
    expect(problems).toEqual([])
    await close()
  })

  it('pays with one signature in a token that has none, where it approved Permit2 before', async () => {
    const { page, wallet, pay, problems, close } = await open('approved', {}, ['USDT', 100_000_000n])
    await approvePermit2(wallet.address, 2n ** 256n - 1n)
    await page.getByText('has approved Permit2 for this token').waitFor()
    const release = wallet.hold('eth_signTypedData_v4')
    await pay()
    await page.getByRole('button', sign).click()
    await page.locator('#stage').getByText('for this payment only').waitFor()
    release()
    const { domain, message, primaryType } = await seePaid(page, wallet)
    expect([primaryType, domain.name]).toEqual(['PermitWitnessTransferFrom', 'Permit2'])
    expect(message.permitted).toEqual({ token: service.tokens.USDT, amount: '64500000' })
    await endWithoutEth('approved', wallet)
    expect(problems).toEqual([])
    await close()
  })

  it('is offered no signature in such a token without that approval, and told what its own payment takes', async () => {
    const { page, wallet, pay, close } = await open('not-approved', {}, ['USDT', 100_000_000n])
    await approvePermit2(wallet.address, 64_499_999n)
    await pay()
    await page.getByRole('heading', { name: 'Not enough ETH for the network fee' }).waitFor()
    expect(await page.getByRole('button', sign).count()).toBe(0)
    expect(wallet.count('eth_signTypedData_v4') + wallet.count('eth_sendTransaction')).toBe(0)
    await close()
  })

  it('that takes its approval of Permit2 back before it signs is told so, and that nothing was charged', async () => {
    const { page, wallet, pay, close } = await open('taken-back', {}, ['USDT', 100_000_000n])
    await approvePermit2(wallet.address, 64_500_000n)
    const release = wallet.hold('eth_signTypedData_v4')
    await pay()
    await page.getByRole('button', sign).click()
    await page.getByRole('heading', { name: 'Sign in your wallet' }).waitFor()
    await approvePermit2(wallet.address, 0n)
    release()
    await page.getByRole('heading', { name: 'Signature not accepted' }).waitFor()
    expect(await page.locator('#stage').innerText()).toContain('The Permit2 approval')
    await page.getByRole('button', { name: 'Pay the network fee myself' }).waitFor()
    await close()
  })

  it('that declines to sign has paid nothing, and pays when it signs after all', async () => {
    const { page, wallet, pay, close } = await open('declined')
    wallet.refuse('eth_signTypedData_v4')
    await pay()
    await page.getByRole('button', sign).click()
    await page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    expect(await service.status('declined')).toBe('pending')
    wallet.accept('eth_signTypedData_v4')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', sign).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await close()
  })

  it('that signs no typed data is told so, and can pay its own fee', async () => {
    const { page, pay, close } = await open('unsigned', { signs: false })
    await pay()
    await page.getByRole('button', sign).click()
    await page.getByRole('heading', { name: 'This wallet cannot pay by signature' }).waitFor()
    await page.getByRole('button', { name: 'Pay the network fee myself' }).click()
    await page.getByRole('heading', { name: 'Not enough ETH for the network fee' }).waitFor()
    await close()
  })

  it('that spent its money before it signed is told that nothing was charged', async () => {
    const { page, wallet, pay, close } = await open('spent')
    const release = wallet.hold('eth_signTypedData_v4')
    await pay()
    await page.getByRole('button', sign).click()
    await page.getByRole('heading', { name: 'Sign in your wallet' }).waitFor()
    const client = anvilClient(service.rpcUrl)
    await client.setBalance({ address: wallet.address, value: 10n ** 18n })
    await client.impersonateAccount({ address: wallet.address })
    const args = [service.buyer.address, 90_000_000n] as const
    const data = encodeFunctionData({ abi: testUSDCAbi, functionName: 'transfer', args })
    const hash = await client.sendUnsignedTransaction({
      from: wallet.address,
      to: service.tokens.USDC,
      data,
    })
    await client.waitForTransactionReceipt({ hash })
    release()
    await page.getByRole('heading', { name: 'Signature not accepted' }).waitFor()
    expect(await page.locator('#stage').innerText()).toContain('does not hold enough')
    await close()
  })
})
