import { describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { TestWallet, type TestWalletOptions } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const lines = { lineItems: [{ label: 'Kettle', priceUsd: 64.5 }], totalUsd: 64.5 }
const settled = { timeout: 60_000 }

async function open(id: string, wallet: Partial<TestWalletOptions>) {
  const url = new URL(await service.createReceipt(id, lines))
  url.searchParams.set('token', 'USDC')
  const { privateKey } = service.buyer
  const made = new TestWallet({ privateKey, rpcUrl: service.rpcUrl, ...wallet })
  return { ...(await openAsBuyer(browser, url.href, { wallets: [made] })), wallet: made }
}

describe('a real receipt on a real chain, in a token with permits', () => {
  it('is paid by a signature and one transaction, whatever the token is called on this network', async () => {
    const { page, wallet, problems, close } = await open('permit', { signs: true })
    await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
    await page.getByRole('button', { name: 'Pay the network fee myself' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    expect(wallet.count('eth_signTypedData_v4')).toBe(1)
    expect(wallet.count('eth_sendTransaction')).toBe(1)
    const [, typed] = wallet.calls.find(({ method }) => method === 'eth_signTypedData_v4')?.params ?? []
    const { domain, message, primaryType } = JSON.parse(String(typed))
    expect(primaryType).toBe('Permit')
    expect([domain.name, domain.version, domain.chainId]).toEqual(['USD Coin', '2', 31337])
    expect([message.owner, message.value]).toEqual([wallet.address, '64500000'])
    expect(problems).toEqual([])
    await close()
  })

  it('is paid by a batch where the wallet sends those, without a permit', async () => {
    const { page, wallet, problems, close } = await open('batch', { signs: true, batches: true })
    await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
    await page.getByRole('button', { name: 'Pay the network fee myself' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    expect(wallet.count('wallet_sendCalls')).toBe(1)
    expect(wallet.count('eth_signTypedData_v4') + wallet.count('eth_sendTransaction')).toBe(0)
    expect(problems).toEqual([])
    await close()
  })
})

describe('what the page of a real receipt tells', () => {
  it('is counted by the service, and changes no status by itself', async () => {
    const { page, wallet, close } = await open('told', { signs: true })
    wallet.refuse('eth_signTypedData_v4')
    await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
    await page.getByRole('button', { name: 'Pay the network fee myself' }).click()
    await page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    const reported = async () => {
      const headers = { 'ocp-apim-subscription-key': service.subscriptionKey }
      const response = await fetch(`${service.baseUrl}/api/receipts/told`, { headers })
      const { telemetry, status } = (await response.json()) as {
        telemetry: { value: string; count: number }[]
        status: string
      }
      return [status, ...telemetry.map(({ value, count }) => `${value} ${count}`)]
    }
    await expect
      .poll(reported)
      .toEqual(['pending', 'link_opened 1', 'buyer_logged_in 1', 'checkout_initialized 1'])
    await close()
  })
})
