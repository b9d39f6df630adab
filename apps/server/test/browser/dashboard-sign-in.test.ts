import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const merchantWallet = () =>
  new TestWallet({
    name: 'Merchant Wallet',
    privateKey: service.merchant.privateKey,
    rpcUrl: service.rpcUrl,
  })

async function holdReceipts(page: Page) {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route(
    '**/api/receipts?**',
    async (route) => {
      const response = await route.fetch()
      asked.resolve()
      await gate.promise
      await route.fulfill({ response: response }).catch(() => {})
    },
    { times: 1 },
  )
  return { release: gate.resolve, isAsked: asked.promise }
}

test('a merchant signs in with a wallet, lists its receipts and returns to the requested URL', async () => {
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
  await page.getByText('Owner', { exact: true }).click()
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
  await merchant.page.getByText('declined the request in your wallet').waitFor()
  wallet.refuse('eth_signTypedData_v4', { code: -32002, message: 'already pending' })
  await signIn.click()
  await merchant.page.getByText('already has an open request').waitFor()
  await merchant.close()
})

test("the demo merchant's wallet signs in with one click, and is nobody else's", async () => {
  const newcomer = await openAsBuyer(browser, `${service.baseUrl}/app/receipts`)
  await newcomer.page.getByRole('button', { name: 'Sign in with the demo merchant' }).click()
  await newcomer.page.getByRole('link', { name: 'welcome-1' }).waitFor()
  await newcomer.close()
  const ask = (headers: Record<string, string>) =>
    fetch(`${service.baseUrl}/local/merchant-wallet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ method: 'eth_accounts' }),
    })
  expect((await ask({ origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await ask({ origin: service.baseUrl })).status).toBe(200)
})

test('point 45: a challenge that was used up, and a session that was ended, have words of their own', async () => {
  const wallet = merchantWallet()
  const release = wallet.hold('eth_signTypedData_v4')
  const merchant = await openAsBuyer(browser, `${service.baseUrl}/app/receipts?x=1`, { wallets: [wallet] })
  const signIn = merchant.page.getByRole('button', { name: 'Sign in with Merchant Wallet' })
  await signIn.click()
  await expect.poll(() => wallet.count('eth_signTypedData_v4')).toBe(1)
  const asked = wallet.calls.find(({ method }) => method === 'eth_signTypedData_v4')
  const { nonce } = JSON.parse(String(asked?.params?.[1])).message
  await fetch(`${service.baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: wallet.address, signature: '0x00', nonce }),
  })
  release()
  await merchant.page.getByText('already used').waitFor()
  await signIn.click()
  await merchant.page.getByRole('link', { name: 'welcome-1' }).waitFor()
  const owner = await logInOwner(service)
  await owner.send('DELETE', '/api/auth/sessions')
  await merchant.page.getByRole('link', { name: 'welcome-1' }).click()
  await merchant.page.getByText('Your session has ended').waitFor()
  await signIn.click()
  await merchant.page.getByRole('heading', { name: 'welcome-1' }).waitFor()
  await merchant.close()
})

test('point 46: another account in the wallet brings a banner and changes nothing', async () => {
  const member = await openSignedIn(browser, service, '/receipts')
  await member.page.getByRole('link', { name: 'welcome-1' }).waitFor()
  await member.wallet.showAccount(service.buyer.privateKey)
  await member.page.getByText(/Your wallet switched to 0x/).waitFor()
  await member.page.reload()
  await member.page.getByText(/Your wallet switched to 0x/).waitFor()
  await member.page.getByRole('link', { name: 'welcome-1' }).waitFor()
  await member.wallet.showAccount(service.merchant.privateKey)
  await expect.poll(() => member.page.getByText(/Your wallet switched to 0x/).count()).toBe(0)
  await member.close()
})

test('a member of two merchants switches between them in a menu and never sees mixed data', async () => {
  const key = generatePrivateKey()
  const own = await logInOwner(service, key)
  await own.send('POST', '/api/shop/config', { name: 'Own Corner' })
  const owner = await logInOwner(service)
  const wallet = privateKeyToAddress(key)
  await owner.send('POST', '/api/members', { wallet, role: 'cashier' })
  const member = await openSignedIn(browser, service, '/receipts', { as: key })
  const { page } = member
  const menu = (name: string) => page.getByRole('button', { name: `${name}: switch shop` })
  await page.getByText('No receipts yet').waitFor()
  await menu('Own Corner').click()
  expect(await page.getByRole('menuitemradio').allInnerTexts()).toEqual([
    expect.stringMatching(/Own Corner\s+Owner/),
    expect.stringMatching(/Tidewater Coffee\s+Cashier/),
  ])
  expect(await violations(page)).toEqual([])
  await page.getByRole('menuitemradio', { name: 'Tidewater Coffee' }).click()
  await menu('Tidewater Coffee').waitFor()
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
    'Receipts',
    'Terminal',
  ])
  expect((await member.ask('GET', '/api/members')).status).toBe(403)

  // A response for the first shop that arrives after the switch is discarded.
  const { release, isAsked } = await holdReceipts(page)
  await page.getByRole('link', { name: 'Receipts', exact: true }).click()
  await isAsked
  await page.evaluate(`globalThis.mixed = 0; new MutationObserver(() => {
    const text = document.body.innerText
    if (text.includes('Own Corner') && text.includes('welcome-1')) globalThis.mixed++
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
  await menu('Tidewater Coffee').press('Enter')
  await page.getByRole('menuitemradio', { name: 'Own Corner' }).click()
  await menu('Own Corner').waitFor()
  release()
  await page.getByRole('link', { name: 'Receipts', exact: true }).click()
  await page.getByText('No receipts yet').waitFor()
  expect(await page.evaluate('globalThis.mixed')).toBe(0)

  // Another tab with the same cookie switches too.
  const tab = await page.context().newPage()
  await tab.goto(`${service.baseUrl}/app/receipts`)
  await tab.getByText('No receipts yet').waitFor()
  await menu('Own Corner').click()
  await page.getByRole('menuitemradio', { name: 'Tidewater Coffee' }).click()
  await tab.getByRole('link', { name: 'welcome-1' }).waitFor()
  await tab.getByRole('button', { name: 'Tidewater Coffee: switch shop' }).waitFor()

  // The next sign-in selects the shop that was used last.
  await page.getByText('Cashier', { exact: true }).last().click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).click()
  await menu('Tidewater Coffee').waitFor()

  await menu('Tidewater Coffee').click()
  await page.route('**/api/auth/merchant', (route) => route.abort())
  await page.getByRole('menuitemradio', { name: 'Own Corner' }).click()
  await page.getByText('The service cannot be reached').waitFor()
  await page.unroute('**/api/auth/merchant')
  await page.getByRole('button', { name: 'Try again' }).click()
  await menu('Own Corner').waitFor()
  await member.close()
})

test('point 45: a wallet without a role is told so, and whom to ask', async () => {
  const invited = await startLocalService({ settings: { SIGNUPS: 'invited' } })
  try {
    const stranger = new TestWallet({ privateKey: invited.buyer.privateKey, rpcUrl: invited.rpcUrl })
    const nobody = await openAsBuyer(browser, `${invited.baseUrl}/app`, { wallets: [stranger] })
    await nobody.page.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
    await nobody.page.getByText(`${stranger.address} has no access`).waitFor()
    await nobody.close()
  } finally {
    await invited.stop()
  }
})

test('point 33: signing in and the receipts have no violation, wide and narrow, light and dark', async () => {
  const { page, close } = await openAsBuyer(browser, `${service.baseUrl}/app`, {
    wallets: [merchantWallet()],
  })
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with Merchant Wallet' }).click()
  await page.getByRole('link', { name: 'welcome-1' }).waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await close()
})
