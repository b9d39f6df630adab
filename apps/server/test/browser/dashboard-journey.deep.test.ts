import { createPublicClient, erc20Abi, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { registerSecrets } from '../support/secrets/secret-register.ts'
import { startLocalService } from '../support/service/local-service.ts'
import { startVerifyingReceiver } from './verifying-receiver.ts'

/** A new merchant's first day. Each test continues where the previous one ended. */
const service = perFile(() => startLocalService({ settings: { SIGNUPS: 'open' } }))
const browser = perFile(openBrowser)
const receiver = perFile(startVerifyingReceiver)
const merchantKey = generatePrivateKey()
const merchant = perFile(async () => {
  await service.send({ to: privateKeyToAddress(merchantKey), value: parseEther('1') })
  const opened = await openSignedIn(browser, service, '', { as: merchantKey })
  // On a slow machine, the login becomes too old, and the app requests another signature.
  const sign = opened.page.getByRole('button', { name: 'Sign with Merchant Wallet' })
  await opened.page.addLocatorHandler(sign, async () => {
    await sign.click()
    const others = opened.problems.filter((problem) => !problem.includes('status of 403'))
    opened.problems.splice(0, opened.problems.length, ...others)
  })
  return opened
})

const colour = '#7a1fa2'
const settled = { timeout: 60_000 }

async function goTo(section: string, part?: string) {
  await merchant.page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
  await merchant.page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
  if (part) await merchant.page.getByRole('link', { name: part, exact: true }).click()
}

async function makeLink(label: string, price: string, webhookUrl = ''): Promise<string> {
  await goTo('Overview')
  const { page } = merchant
  await page.getByRole('link', { name: 'New payment link' }).first().click()
  await page.getByLabel('Description').fill(label)
  await page.getByLabel('Unit price').fill(price)
  if (webhookUrl) {
    await page.getByText('More options').click()
    await page.getByLabel('Webhook endpoint').fill(webhookUrl)
  }
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('heading', { name: 'Your link is ready' }).waitFor()
  return (await page.getByRole('link', { name: 'Open checkout' }).getAttribute('href')) ?? ''
}

async function payAsBuyer(url: string) {
  const at = new URL(url, service.baseUrl)
  at.searchParams.set('token', 'USDC')
  const wallet = new TestWallet({ privateKey: service.buyer.privateKey, rpcUrl: service.rpcUrl })
  const { page, problems, close } = await openAsBuyer(browser, at.href, { wallets: [wallet] })
  const shop = await page.getByRole('heading', { level: 1 }).first().innerText()
  const primary = await page.evaluate<string>(
    "getComputedStyle(document.documentElement).getPropertyValue('--primary').trim()",
  )
  await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
  await page.getByRole('button', { name: 'Pay with one signature' }).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
  expect(problems).toEqual([])
  await close()
  return { shop, primary, id: decodeURIComponent(at.pathname.split('/').at(-1) ?? '') }
}

const usdcOf = (owner: Hex) =>
  createPublicClient({ transport: http(service.rpcUrl) }).readContract({
    address: service.tokens.USDC,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })

/** 404: a new merchant has no shop. 409: a decision was made before the payment was final. */
const unexpected = () => merchant.problems.filter((problem) => !/status of (404|409)/.test(problem))

test('a new merchant settles who gets the money, and the split is deployed', async () => {
  const { page } = merchant
  await page.getByText('0 of 6 done').waitFor()
  await page.getByRole('link', { name: 'Choose who gets the money' }).click()
  await page.getByText('Total 100.00%').waitFor()
  await page.getByRole('button', { name: 'Save recipients' }).click()
  await page.getByRole('heading', { name: 'Current recipients' }).waitFor()
  await page.getByRole('heading', { name: 'Deploying the contract' }).waitFor({ state: 'detached' })
  await page.getByText('99.50%').first().waitFor()
  await goTo('Overview')
  await page.getByText('1 of 6 done').waitFor()
  expect(unexpected()).toEqual([])
})

test('the shop is named and themed, and a list of products is imported into it', async () => {
  const { page } = merchant
  await page.getByRole('link', { name: 'Name your shop' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Tide Pottery')
  await page.getByLabel('Address', { exact: true }).first().fill('tide-pottery')
  await page.getByText('This address is available').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Shop saved').waitFor()
  await page.getByRole('link', { name: 'Appearance', exact: true }).click()
  await page.getByLabel('Buttons', { exact: true }).fill(colour)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published. Buyers see').waitFor()
  await goTo('Products')
  await page.getByRole('button', { name: 'Import CSV' }).first().click()
  const text = 'sku,name,priceUsd,stockQty\nbowl,Bowl,24.00,8\ncup,Cup,12.50,20\n'
  await page
    .getByLabel('Choose a CSV file')
    .setInputFiles({ name: 'pottery.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByText('2 products added').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Bowl' }).waitFor()
  const visitor = await openAsBuyer(browser, `${service.baseUrl}/shop/tide-pottery`)
  await visitor.page.getByText('$24.00').first().waitFor()
  expect(visitor.problems).toEqual([])
  await visitor.close()
  await goTo('Overview')
  await page.getByText('3 of 6 done').waitFor()
  expect(unexpected()).toEqual([])
})

test('a key is shown once, and a receiver that verifies with it passes every check of the grader', async () => {
  const { page } = merchant
  await page.getByRole('link', { name: 'Create a key' }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Website')
  await dialog.getByLabel('receipts:write').check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Website: copy your keys now' }).waitFor()
  receiver.key = await dialog.locator('code').first().innerText()
  registerSecrets(receiver.key)
  await dialog.getByRole('button', { name: 'I have copied them' }).click()
  await page.reload()
  await page.getByRole('region', { name: 'Website' }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain(receiver.key)

  await page.getByRole('link', { name: 'Test an endpoint' }).click()
  await page.getByLabel('Webhook endpoint URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Run checks' }).click()
  await page.getByRole('heading', { name: 'Your endpoint passed every check' }).waitFor()
  expect(receiver.events.length).toBeGreaterThan(0)
  expect(receiver.refused()).toBeGreaterThan(0)
  await goTo('Overview')
  await page.getByText('5 of 6 done').waitFor()
  expect(unexpected()).toEqual([])
})

test('the buyer of the first link sees the shop, the receiver hears of the payment, and the first steps are done', async () => {
  const url = await makeLink('Bowl', '24.00', receiver.url)
  const paid = await payAsBuyer(url)
  expect(paid).toMatchObject({ shop: 'Tide Pottery', primary: colour })
  const reported = () => receiver.events.filter(({ receiptId }) => receiptId === paid.id)
  await expect.poll(() => reported().map(({ status }) => status), settled).toContain('paid')
  expect(reported()[0]).toMatchObject({ merchantWallet: merchant.wallet.address, totalUsd: 24 })
  await goTo('Overview')
  await merchant.page.getByRole('heading', { name: 'Latest receipts' }).waitFor()
  await expect.poll(() => merchant.page.getByText('Getting started').count()).toBe(0)
  await merchant.page.getByText('$24.00').first().waitFor()
  expect(unexpected()).toEqual([])
})

test('a sale at the terminal is paid, paid out, and refunded from the wallet of the merchant', async () => {
  await goTo('Terminal')
  const { page } = merchant
  await page.keyboard.type('1250')
  await page.getByRole('button', { name: 'Charge $12.50' }).click()
  const code = page.getByRole('img', { name: 'QR code' })
  await code.waitFor()
  const { id } = await payAsBuyer((await readQr(code)) ?? '')
  await page.getByRole('status').filter({ hasText: 'Paid' }).waitFor(settled)
  await page.getByRole('button', { name: 'Next sale' }).click()
  await goTo('Receipts')
  await page.getByRole('link', { name: id }).click()
  await page.getByText('Distributed').first().waitFor(settled)

  const before = await usdcOf(service.buyer.address)
  await page.getByRole('link', { name: 'Refund', exact: true }).click()
  await page.getByText('You can still refund $12.50 of $12.50').waitFor()
  expect(await page.getByLabel('Buyer’s wallet').inputValue()).toBe(service.buyer.address)
  await page.getByRole('button', { name: 'Review refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Check before you send' })
  await dialog.getByRole('button', { name: 'Pay with Merchant Wallet' }).click()
  await page.getByText('Verified on the blockchain').waitFor(settled)
  expect((await usdcOf(service.buyer.address)) - before).toBe(12_500_000n)
  await page.getByRole('link', { name: 'View receipt' }).click()
  await page.getByText('Refunded').first().waitFor()
  expect(unexpected()).toEqual([])
})

test('a partner becomes a recipient after a look at what that would have meant', async () => {
  await goTo('Split', 'Change recipients')
  const { page } = merchant
  const partner = privateKeyToAddress(generatePrivateKey())
  await page.getByLabel('Share in %').fill('89.5')
  await page.getByRole('button', { name: 'Add recipient' }).click()
  await page.getByLabel('Address of recipient 2').fill(partner)
  await page.getByLabel('Share in %').last().fill('10')
  await page.getByRole('button', { name: 'Review change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'USDC' }).waitFor()
  expect(await dialog.innerText()).toMatch(/\+3\.65\sUSDC/)
  await dialog.getByRole('button', { name: 'Schedule change' }).click()
  await page.getByRole('row', { name: /^2 .*Current/ }).waitFor(settled)
  await page.getByText(partner).first().waitFor()
  expect(unexpected()).toEqual([])
})

test('money that was sent to the split without a reference is applied to the receipt it was meant for', async () => {
  const url = await makeLink('Cup', '12.50')
  const id = decodeURIComponent(new URL(url, service.baseUrl).pathname.split('/').at(-1) ?? '')
  await goTo('Split')
  const { page } = merchant
  await page.getByRole('heading', { name: 'Current recipients' }).waitFor()
  const [, contract = ''] =
    /Contract\s+(0x[0-9a-fA-F]{40})/.exec(await page.locator('main').innerText()) ?? []
  await service.send({ to: service.tokens.USDC, data: transferData(contract, 12_500_000n) })
  await goTo('Overview')
  await page.getByRole('link', { name: '1 unmatched payment' }).click(settled)
  const card = page.getByRole('article').filter({ hasText: '12.50\u00a0USDC' })
  await card.getByRole('button', { name: 'Apply to a receipt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a receipt').fill(id)
  await dialog.getByRole('radio', { name: id }).check()
  const isApplied = async () => {
    await dialog
      .getByRole('button', { name: 'Apply', exact: true })
      .click({ timeout: 1_000 })
      .catch(() => {})
    return page.getByText('No open payments').isVisible()
  }
  await expect.poll(isApplied, { ...settled, interval: 500 }).toBe(true)
  await goTo('Receipts')
  const row = page.getByRole('row').filter({ hasText: id })
  await row.getByText(/Paid|Distributed/).waitFor(settled)
  expect(unexpected()).toEqual([])
})

test('a cashier comes in by an invitation link and sells, and the split stays closed to them', async () => {
  await goTo('Team')
  const { page } = merchant
  const cashierKey = generatePrivateKey()
  await page.getByRole('button', { name: 'Invite by link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Role').selectOption('cashier')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('code').innerText()
  registerSecrets(new URL(link).hash.slice(1))
  await dialog.getByRole('button', { name: 'I have sent it' }).click()

  const wallet = new TestWallet({ privateKey: cashierKey, rpcUrl: service.rpcUrl })
  const cashier = await openAsBuyer(browser, link, { wallets: [wallet] })
  await cashier.page.getByRole('heading', { name: 'Tide Pottery invites you to join the team' }).waitFor()
  await cashier.page.getByRole('button', { name: `Sign in with ${wallet.name}` }).click()
  await cashier.page.getByRole('button', { name: '00', exact: true }).waitFor()
  await cashier.page.keyboard.type('300')
  await cashier.page.getByRole('button', { name: 'Charge $3.00' }).click()
  await cashier.page.getByRole('img', { name: 'QR code' }).waitFor()
  await cashier.page.getByRole('button', { name: 'Cancel sale' }).click()
  expect(await cashier.page.getByRole('navigation').getByRole('link', { name: 'Split' }).count()).toBe(0)
  await cashier.page.goto(`${service.baseUrl}/app/split`)
  await cashier.page.getByText('You do not have access').waitFor()
  const split = await cashier.page.evaluate<number>("fetch('/api/split/deploy').then(({ status }) => status)")
  expect(split).toBe(403)
  const unexpectedThere = cashier.problems.filter((problem) => !/status of (401|403)/.test(problem))
  expect(unexpectedThere).toEqual([])
  await cashier.close()
  await page.reload()
  await page
    .getByRole('row')
    .filter({ hasText: privateKeyToAddress(cashierKey) })
    .waitFor()
  expect(unexpected()).toEqual([])
})
