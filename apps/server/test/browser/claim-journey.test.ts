import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

async function askWallet(method: string, params: readonly unknown[]) {
  const response = await fetch(`${service.baseUrl}/local/wallet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method, params }),
  })
  return (await response.json()) as { result?: string; error?: { code: number } }
}

async function payTwice(): Promise<string> {
  await service.createReceipt('twice', { currency: 'USD', lineItems: [{ label: 'Coffee', amount: 25 }] })
  const recipient = service.merchant.address
  const offer = await fetch(`${service.baseUrl}/api/checkout/twice/attempts?recipient=${recipient}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'USDC' }),
  })
  const { depositAddress } = (await offer.json()) as { depositAddress: `0x${string}` }
  await service.pay('twice')
  await expect.poll(() => service.status('twice')).toBe('paid')
  const data = transferData(depositAddress, 25_000_000n)
  const { result } = await askWallet('eth_sendTransaction', [{ to: service.tokens.USDC, data }])
  return result ?? ''
}

test('the buyer of a local service pays twice, and claims the second payment with the demo wallet in the page', async () => {
  const url = `${service.baseUrl}/claim?hash=${await payTwice()}`
  const { page, problems, close } = await openAsBuyer(browser, url)
  const button = page.getByRole('button', { name: 'Demo buyer (play money)' })
  await expect
    .poll(
      async () => {
        await page.reload()
        await page.locator('.standing, .result h2').first().waitFor()
        return page.locator('#by-wallet').count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  await button.click()
  await page.getByRole('heading', { name: 'Your claim' }).waitFor({ timeout: 60_000 })
  expect(await page.locator('main').innerText()).toContain('Signed by the wallet that made the payment')
  expect(problems).toEqual([])
  await close()
})

test('the demo wallet signs nothing of another wallet, for another chain or of another kind', async () => {
  const owner = service.buyer.address
  const types = { Permit: [{ name: 'owner', type: 'address' }], Login: [{ name: 'wallet', type: 'address' }] }
  const permit = { primaryType: 'Permit', domain: {}, types, message: { owner } }
  const others = [
    { ...permit, message: {} },
    { ...permit, message: { owner: service.merchant.address } },
    { ...permit, domain: { chainId: 1 } },
    { ...permit, primaryType: 'Login', message: { wallet: owner } },
  ]
  const texts = ['not JSON', '{}', 'null', ...others.map((each) => JSON.stringify(each))]
  expect(await askWallet('eth_signTypedData_v4', ['0x0', JSON.stringify(permit)])).toHaveProperty('result')
  for (const text of texts)
    expect(await askWallet('eth_signTypedData_v4', ['0x0', text])).toMatchObject({ error: { code: 4200 } })
})
