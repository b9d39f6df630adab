import { expect, test } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { violations } from '../support/browser/violations.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/worlds/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(launchBrowser)

const merchantWallet = () =>
  new TestWallet({
    name: 'Merchant Wallet',
    privateKey: service.merchant.privateKey,
    rpcUrl: service.rpcUrl,
  })

test('a merchant signs in with a wallet, sees its receipts and opens one at the address that was asked for', async () => {
  await service.createReceipt('dash-1', {
    currency: 'EUR',
    lineItems: [{ label: '<b>Coffee</b>', amount: 12.5 }],
  })
  const merchant = await openAsBuyer(browser, `${service.baseUrl}/app/receipts/dash-1`, {
    wallets: [merchantWallet()],
  })
  const { page } = merchant
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).click()
  await page.getByRole('heading', { name: 'dash-1' }).waitFor()
  expect(await page.locator('main').innerText()).toContain('<b>Coffee</b>')
  expect(await page.locator('main').innerText()).toContain('€12.50')
  await page.getByRole('link', { name: 'All receipts' }).click()
  await page.getByRole('link', { name: 'welcome-1' }).waitFor()
  expect(await page.getByRole('row').nth(1).innerText()).toContain('Awaiting payment')
  await page.reload()
  await page.getByRole('link', { name: 'dash-1' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(merchant.problems.filter((text) => !text.includes('401'))).toEqual([])
  await merchant.close()
})

test('point 45: a signature that is refused and an open request have words of their own', async () => {
  const wallet = merchantWallet()
  const merchant = await openAsBuyer(browser, `${service.baseUrl}/app`, { wallets: [wallet] })
  const signIn = merchant.page.getByRole('button', { name: 'Sign in with Merchant Wallet' })
  wallet.refuse('eth_signTypedData_v4')
  await signIn.click()
  await merchant.page.getByText('declined in the wallet').waitFor()
  wallet.refuse('eth_signTypedData_v4', { code: -32002, message: 'already pending' })
  await signIn.click()
  await merchant.page.getByText('already has an open request').waitFor()
  await merchant.close()
})

test('point 33: signing in and the receipts have no violation, wide and narrow, light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 768, 320]) {
      const look = { colorScheme, viewport: { width, height: 800 }, wallets: [merchantWallet()] }
      const merchant = await openAsBuyer(browser, `${service.baseUrl}/app`, look)
      await merchant.page.getByRole('button', { name: 'Sign in with' }).waitFor()
      expect(await violations(merchant.page)).toEqual([])
      await merchant.page.getByRole('button', { name: 'Sign in with' }).click()
      await merchant.page.getByRole('link', { name: 'welcome-1' }).waitFor()
      expect(await violations(merchant.page)).toEqual([])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await merchant.page.evaluate(overflow)).toBe(0)
      await merchant.page.screenshot({ path: `/tmp/dash-${width}-${colorScheme}.png` })
      await merchant.close()
    }
  }
})
