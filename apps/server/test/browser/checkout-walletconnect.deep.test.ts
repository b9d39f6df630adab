import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../support/api/sessions.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage, startWalletStage, type WalletStage } from '../support/browser/checkout-stage.ts'
import { PairingRelay, startPhoneWallet } from '../support/browser/phone-wallet.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { perFile } from '../support/per-file.ts'

const walletConnectProject = 'test-project'
let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage({ walletConnectProject })
})
afterAll(() => stage?.close())
const without = perFile(() => startCheckoutStage())

const button = (page: Page) => page.getByRole('button', { name: 'Pay with WalletConnect' })
const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy') ?? ''

async function openWith(relay: PairingRelay, id: string, token: 'ETH' | 'USDC' = 'ETH') {
  const buyer = await openAsBuyer(stage.browser, 'about:blank')
  await relay.serve(buyer.page.context())
  await buyer.page.goto(stage.harness.put(id, stage.view(token)))
  return buyer
}

function startPhone(relay: PairingRelay) {
  const { privateKey } = newWallet()
  return startPhoneWallet(stage.browser, relay, { privateKey, rpcUrl: stage.chain.rpcUrl })
}

describe('WalletConnect', () => {
  it('is offered, and its relay allowed, only where a project is set', async () => {
    const { page, close } = await without.open(without.harness.put('none'))
    await page.getByRole('heading', { name: 'No wallet found' }).waitFor()
    expect(await button(page).count()).toBe(0)
    expect(await policyOf(page.url())).toContain("connect-src 'self';")
    await close()
    expect(await policyOf(stage.harness.put('some'))).toContain(
      "connect-src 'self' wss://relay.walletconnect.org wss://relay.walletconnect.com;",
    )
    const plain = await (await fetch(without.harness.put('plain'))).text()
    expect(plain).not.toContain('walletconnect')
    expect(await (await fetch(stage.harness.put('plain'))).text()).toContain('data-walletconnect="/assets/')
  })

  it('loads nothing before it is asked for, then 160 kB at most, and all from the service itself', async () => {
    const relay = new PairingRelay()
    const { page, close } = await openWith(relay, 'lazy')
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await button(page).waitFor()
    expect(urls.filter((url) => url.includes('walletconnect'))).toEqual([])
    const loading = page.waitForResponse(/walletconnect/)
    await button(page).click()
    const { request } = { request: (await loading).request() }
    expect((await request.sizes()).responseBodySize).toBeLessThanOrEqual(160_000)
    await page.getByRole('heading', { name: 'Scan with your wallet' }).waitFor()
    expect(urls.every((url) => url.startsWith(stage.harness.url))).toBe(true)
    expect(
      relay.urls.every((url) => new URL(url).searchParams.get('projectId') === walletConnectProject),
    ).toBe(true)
    await close()
  })

  it('pairs a wallet on a phone by the code on the page, which then pays', async () => {
    const relay = new PairingRelay()
    const phone = await startPhone(relay)
    await stage.chain.fund(phone.address as Wallet, { ETH: 1 })
    const { page, problems, close } = await openWith(relay, 'pair')
    await button(page).click()
    const code = page.locator('.pairing svg')
    await code.waitFor()
    const uri = (await readQr(code)) ?? ''
    expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/)
    expect(await page.getByRole('button', { name: 'Copy link' }).getAttribute('data-copy')).toBe(uri)
    await phone.pair(uri)
    await page.getByRole('heading', { name: 'Payment sent' }).waitFor({ timeout: 60_000 })
    expect(phone.asked).toEqual(['eth_sendTransaction'])
    expect(problems).toEqual([])
    await close()
    await phone.close()
  })

  it('pays in a token without a look at the chain: the service says when the approval stands', async () => {
    const relay = new PairingRelay()
    const phone = await startPhone(relay)
    await stage.chain.fund(phone.address as Wallet, { ETH: 1, USDC: 100 })
    const { page, problems, close } = await openWith(relay, 'token', 'USDC')
    await button(page).click()
    const code = page.locator('.pairing svg')
    await code.waitFor()
    await phone.pair((await readQr(code)) ?? '')
    await page.getByRole('heading', { name: 'waiting for the approval' }).waitFor({ timeout: 60_000 })
    expect(phone.asked).toEqual(['eth_sendTransaction'])
    const { calls } = stage.view('USDC')(Date.now()).attempt ?? {}
    stage.harness.put('token', stage.view('USDC', { calls: calls?.slice(1) ?? [] }))
    await page.getByRole('heading', { name: 'Payment sent' }).waitFor({ timeout: 60_000 })
    expect(phone.asked).toEqual(['eth_sendTransaction', 'eth_sendTransaction'])
    expect(problems).toEqual([])
    await close()
    await phone.close()
  })

  it('whose wallet declines the payment: nothing was charged, and the pairing stands for another try', async () => {
    const relay = new PairingRelay()
    const phone = await startPhone(relay)
    phone.refuse()
    const { page, problems, close } = await openWith(relay, 'decline')
    await button(page).click()
    const code = page.locator('.pairing svg')
    await code.waitFor()
    await phone.pair((await readQr(code)) ?? '')
    await page.getByRole('heading', { name: 'Nothing was charged' }).waitFor({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => phone.asked.length).toBe(2)
    expect(problems).toEqual([])
    await close()
    await phone.close()
  })

  it('whose relay cannot be reached: says so in words, and other ways are open', async () => {
    const { page, close } = await openAsBuyer(stage.browser, 'about:blank')
    await page.context().routeWebSocket(/^wss:\/\/relay\.walletconnect\./, (socket) => socket.close())
    await page.goto(stage.harness.put('unreachable'))
    await button(page).click()
    await page
      .getByRole('heading', { name: 'WalletConnect could not be reached' })
      .waitFor({ timeout: 60_000 })
    await page.getByText('Details', { exact: true }).click()
    await page.getByText('relay.walletconnect.org does not respond').waitFor()
    await page.getByRole('button', { name: 'Other ways to pay' }).click()
    expect(await page.locator('.code.link svg').isVisible()).toBe(true)
    await close()
  })
})
