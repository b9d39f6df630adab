import type { CheckoutCall } from '@sluice/protocol/api/checkout.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../support/browser/checkout-browser.ts'
import { startWalletStage, type WalletStage } from '../support/browser/checkout-stage.ts'
import { addresses } from '../support/browser/checkout-views.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
afterAll(() => stage?.close())

const markApiErrorAndButton = `
  addEventListener('eip6963:announceProvider', ({ detail: { provider } }) => {
    const request = provider.request.bind(provider)
    provider.request = (call) =>
      request(call).catch((error) => {
        if (call.method === 'eth_sendTransaction') performance.mark('refused')
        throw error
      })
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  new MutationObserver(() => {
    const buttons = [...document.querySelectorAll('button')]
    const isThere = buttons.some((button) => button.textContent.includes('Try again') && !button.disabled)
    const [refused, ready] = ['refused', 'ready'].map((name) => performance.getEntriesByName(name).length)
    if (isThere && refused > ready) performance.mark('ready')
  }).observe(document, { subtree: true, childList: true, attributes: true })
`
const msBetweenMarks = `(() => {
  const [refused, ready] = ['refused', 'ready'].map((name) => performance.getEntriesByName(name))
  return ready.map(({ startTime }, i) => startTime - refused[i].startTime)
})()`

function failingCall(): CheckoutCall {
  const args = [addresses.merchant, 10n ** 30n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return { kind: 'pay', chainId: 31337, to: stage.chain.contracts.tokens.USDC, data, value: '0x0' }
}

describe('paying by a wallet', () => {
  it('point 12: without enough of the token: shows have, need and missing, and sends nothing', async () => {
    const buyer = await stage.begin('poor', { purse: { ETH: 1, USDC: 10 } })
    const heard = await listen(buyer.page)
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Not enough USDC' }).waitFor()
    expect(await buyer.page.locator('#stage dd').allInnerTexts()).toEqual([
      '10.00 USDC',
      '25.00 USDC',
      '15.00 USDC',
    ])
    await expect.poll(async () => (await heard()).at(-1)).toMatch(/^alert: This account/)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(0)
    await buyer.close()
  })

  it('point 13: with the token but nothing for the fee: says that it is the fee', async () => {
    const buyer = await stage.begin('no-gas', { purse: { USDC: 100 } })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Not enough ETH for the network fee' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(0)
    await stage.chain.fund(buyer.wallet.address as never, { ETH: 1 })
    await buyer.page.getByRole('button', { name: 'Check again' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('point 14: that the buyer refuses: nothing was charged, and can be tried again within 200 ms', async () => {
    const buyer = await stage.begin('refused', { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.refuse('eth_sendTransaction')
    await buyer.page.evaluate(markApiErrorAndButton)
    const heard = await listen(buyer.page)
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    expect(await buyer.page.locator('#stage .head').getAttribute('data-tone')).toBe('plain')
    expect((await heard()).every((text) => text.startsWith('status: '))).toBe(true)
    const again = buyer.page.getByRole('button', { name: 'Try again' })
    for (const count of [2, 3]) {
      await again.click()
      await expect.poll(() => buyer.wallet.count('eth_sendTransaction')).toBe(count)
      await expect.poll(() => buyer.page.evaluate<number[]>(msBetweenMarks)).toHaveLength(count)
    }
    const waits = await buyer.page.evaluate<number[]>(msBetweenMarks)
    expect(Math.min(...waits)).toBeLessThanOrEqual(200)
    buyer.wallet.accept('eth_sendTransaction')
    await again.click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('point 15: that has a request open already: says so', async () => {
    const buyer = await stage.begin('busy', { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.refuse('eth_requestAccounts', { code: -32002, message: 'Request already pending' })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Your wallet already has an open request' }).waitFor()
    await buyer.page.getByRole('button', { name: 'Other ways to pay' }).click()
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await buyer.close()
  })

  it('that fails for a reason of its own: says so in words, with the raw text under details', async () => {
    const buyer = await stage.begin('odd', { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.refuse('eth_sendTransaction', { code: -32000, message: '<b>ledger is asleep</b>' })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'The wallet reported an error' }).waitFor()
    const raw = buyer.page.getByText('-32000: <b>ledger is asleep</b>', { exact: true })
    expect(await raw.isVisible()).toBe(false)
    await buyer.page.getByText('Details', { exact: true }).click()
    expect(await raw.isVisible()).toBe(true)
    await buyer.close()
  })

  it('point 26: whose transaction the network undoes: a panel says so, nothing but the fee is gone, and it can be tried again', async () => {
    const buyer = await stage.begin('undone', {
      purse: { ETH: 1, USDC: 100 },
      attempt: { calls: [failingCall()] },
    })
    const failed = buyer.page.getByRole('heading', { name: 'The transaction did not go through' })
    await buyer.pay()
    await failed.waitFor()
    expect(await buyer.page.locator('#stage .head').getAttribute('data-tone')).toBe('bad')
    expect(await buyer.page.locator('#stage').innerText()).toContain('You paid only the network fee')
    expect(await buyer.page.locator('[data-slot=hash]').innerText()).toMatch(/^0x[0-9a-f]{64}$/)
    await buyer.page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await failed.waitFor()
    await buyer.page.getByRole('button', { name: 'Other ways to pay' }).click()
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await buyer.page.reload()
    await buyer.page.locator('.wallet').waitFor()
    await buyer.close()
  })

  it.each([
    [4100, 'nope', 'did not allow this page to use your account'],
    [4200, 'nope', 'does not support this payment'],
    [4900, 'nope', 'not connected to the network'],
    [-32000, 'insufficient funds for gas * price + value', 'does not hold enough for the payment'],
    [3, 'execution reverted', 'would reject this payment'],
  ])('that fails with %d %s: says in words what that means', async (code, message, words) => {
    const buyer = await stage.begin(`words${code}`, { purse: { ETH: 1 }, token: 'ETH' })
    buyer.wallet.refuse('eth_sendTransaction', { code, message })
    await buyer.pay()
    await buyer.page.locator('.head p', { hasText: words }).waitFor()
    await buyer.close()
  })

  it('point 44: none of this leaves an error in the console or a report of the policy', () => {
    expect(stage.problems).toEqual([])
  })
})
