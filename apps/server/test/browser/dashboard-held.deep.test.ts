import { createPublicClient, createTestClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService({ settings: { SIGNUPS: 'open' } }))
const browser = perFile(openBrowser)
const settled = { timeout: 60_000 }

test('a part that its recipient would not take is named on the receipt, and released through the wallet', async () => {
  const merchantKey = generatePrivateKey()
  const refuser = privateKeyToAddress(generatePrivateKey())
  const node = createTestClient({ mode: 'anvil', transport: http(service.rpcUrl) })
  const chain = createPublicClient({ transport: http(service.rpcUrl) })
  // Code that reverts every call.
  await node.setCode({ address: refuser, bytecode: '0x5f5ffd' })
  await service.send({ to: privateKeyToAddress(merchantKey), value: parseEther('1') })
  const merchant = await openSignedIn(browser, service, '/split', { as: merchantKey })
  const { page, ask, wallet } = merchant
  const recipients = [
    { address: refuser, sharesBps: 5_000 },
    { address: wallet.address, sharesBps: 4_950 },
  ]
  expect((await ask('POST', '/api/split/deploy', { recipients })).status).toBeLessThan(300)
  const isDeployed = async () => (await ask('GET', '/api/split/deploy')).body.split.deployed
  await expect.poll(isDeployed, settled).toBe(true)

  const receipt = { id: 'held-1', lineItems: [{ label: 'Bowl', amount: 24 }] }
  expect((await ask('POST', '/api/receipts', receipt)).status).toBe(201)
  const attempts = `/api/checkout/held-1/attempts?recipient=${wallet.address}`
  const { depositAddress, amount } = (await ask('POST', attempts, { token: 'ETH' })).body
  await service.send({ to: depositAddress, value: BigInt(amount) })
  const status = async () => (await ask('GET', '/api/receipts/held-1')).body.status
  await expect.poll(status, settled).toBe('reconciled')

  await page.goto(`${service.baseUrl}/app/receipts/held-1`)
  await page.getByText(/held/i).first().waitFor(settled)
  expect(await violations(page)).toEqual([])
  // Without code, the address accepts money.
  await node.setCode({ address: refuser, bytecode: '0x' })
  await page.goto(`${service.baseUrl}/app/split`)
  await page.getByRole('button', { name: 'Read with Merchant Wallet' }).click()
  const release = page
    .getByRole('row')
    .filter({ hasText: refuser })
    .getByRole('button', { name: 'Release', exact: true })
  await release.click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: /Merchant Wallet/ }).click()
  await release.waitFor({ state: 'detached', ...settled })
  expect(await chain.getBalance({ address: refuser })).toBe(BigInt(amount) / 2n)
  await merchant.close()
})
