import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const operator = generatePrivateKey()
const operatorWallet = privateKeyToAccount(operator).address
const service = perFile(() => startLocalService({ settings: { OPERATOR_WALLETS: operatorWallet } }))
const browser = perFile(openBrowser)
const open = (path: string) => openSignedIn(browser, service, path, { as: operator })

test('an operator creates a brand with a reserve of exactly 100 % and assigns it to a merchant', async () => {
  const site = await open('/site')
  const { page } = site
  await page.getByRole('link', { name: 'New brand' }).click()
  await page.getByLabel('Key').fill('acme')
  await page.getByLabel('Name').fill('Acme Pay')
  await page.getByLabel('Processing fee in percent').fill('1,25')
  await page.getByLabel('Default token').selectOption('USDT')
  await page.getByLabel('Hold a reserve in several tokens').check()
  await page.getByLabel('USDC %').fill('66.6667')
  await page.getByLabel('ETH %').fill('33.3')
  await page.getByText('99.9667% of 100 %').waitFor()
  const save = page.getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel('ETH %').fill('33.3333')
  await page.getByText('100% of 100 %').waitFor()
  await page.getByLabel('Favicon').fill('http://acme.example/icon.png')
  await save.click()
  await page.getByText('must be an https URL').waitFor()
  await page.getByLabel('Favicon').fill('')
  await save.click()
  await page.getByText('Acme Pay saved').waitFor()
  const { brands } = (await site.ask('GET', '/api/site/brands')).body
  expect(brands.find(({ key }: { key: string }) => key === 'acme').config).toMatchObject({
    processingFeePct: 1.25,
    defaultPaymentToken: 'USDT',
    reserveRatios: { USDC: 0.666667, ETH: 0.333333 },
  })
  await page.getByLabel('Brand of Tidewater Coffee').selectOption('acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
  await page.getByText('Tidewater Coffee now sells under Acme Pay').waitFor()
  const { merchants } = (await site.ask('GET', '/api/site/merchants')).body
  expect(merchants.find(({ name }: { name: string }) => name === 'Tidewater Coffee').brandKey).toBe('acme')
  expect(site.problems.filter((text) => !text.includes('400'))).toEqual([])
  await site.close()
})

test('a merchant is told that the site is not theirs', async () => {
  const shop = await openSignedIn(browser, service, '/site')
  await shop.page.getByRole('heading', { name: 'You do not have access' }).waitFor()
  expect(await shop.page.getByRole('link', { name: 'Site', exact: true }).count()).toBe(0)
  await shop.close()
})

test('point 33: the site has no violation, wide and narrow, light and dark', async () => {
  const site = await openSignedIn(browser, service, '/site', { as: operator })
  await site.page.getByRole('rowheader').first().waitFor()
  expect(await errorsInAllLooks(site.page)).toEqual([])
  await site.page.goto(`${service.baseUrl}/app/site/brands/service`)
  await site.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await errorsInAllLooks(site.page)).toEqual([])
  await site.close()
})
