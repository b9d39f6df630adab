import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { PairingRelay, startPhoneWallet } from '../support/browser/phone-wallet.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService({ settings: { WALLETCONNECT_PROJECT_ID: 'test-project' } }))
const browser = perFile(openBrowser)

test('a wallet on a phone signs in by the code on the page, whose script is loaded by the click', async () => {
  const relay = new PairingRelay()
  const { privateKey } = service.merchant
  const phone = await startPhoneWallet(browser, relay, { privateKey, rpcUrl: service.rpcUrl })
  const member = await openAsBuyer(browser, 'about:blank')
  await relay.serve(member.page.context())
  const urls: string[] = []
  member.page.on('request', (request) => urls.push(request.url()))
  await member.page.goto(`${service.baseUrl}/app/split`)
  const button = member.page.getByRole('button', { name: 'Use a wallet on your phone' })
  await button.waitFor()
  expect(urls.filter((url) => url.includes('walletconnect'))).toEqual([])
  await button.click()
  const code = member.page.getByRole('img', { name: 'QR code to connect a wallet app' })
  await code.waitFor()
  expect(await violations(member.page)).toEqual([])
  await phone.pair((await readQr(code)) ?? '')
  await member.page.getByRole('heading', { name: 'Split', level: 1 }).waitFor()
  expect(urls.every((url) => url.startsWith(service.baseUrl) || url === 'about:blank')).toBe(true)
  expect(member.problems.filter((problem) => !problem.includes('401'))).toEqual([])
  await member.close()
  await phone.close()
})
