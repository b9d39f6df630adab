import type { CheckoutCall } from '@sluice/protocol/api/checkout.ts'
import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type BuyerPage, focusedText, listen, openAsBuyer } from '../support/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/checkout-harness.ts'
import { addresses, makeAttempt, tokens } from '../support/checkout-views.ts'
import { startTestChain, type TestChain } from '../support/test-chain.ts'
import { TestWallet, type TestWalletOptions } from '../support/test-wallet.ts'

let harness: CheckoutHarness
let browser: Browser
let chain: TestChain
beforeAll(async () => {
  ;[harness, browser, chain] = await Promise.all([startCheckoutHarness(), launchBrowser(), startTestChain()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
  await chain?.stop()
})

const merchant = addresses.merchant
const amount = 25_000_000n

describe('the list of wallets', () => {
  it('has a button for each wallet that announces itself; a late one is added and takes no focus', async () => {
    const wallets = [
      makeWallet({ name: 'Kestrel' }),
      makeWallet({ name: 'Heron' }),
      makeWallet({ name: 'Late Bird', kind: 'late' }),
    ]
    const buyer = await openAsBuyer(browser, harness.put('many'), { wallets })
    const kestrel = buyer.page.getByRole('button', { name: 'Pay with Kestrel' })
    await kestrel.focus()
    expect(await buyer.page.locator('.wallet img').count()).toBe(2)
    await buyer.page.getByRole('button', { name: 'Pay with Late Bird' }).waitFor()
    expect(await focusedText(buyer.page)).toBe('Pay with Kestrel')
    expect(await buyer.page.locator('.wallet').allInnerTexts()).toEqual([
      'Pay with Kestrel',
      'Pay with Heron',
      'Pay with Late Bird',
    ])
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('has one browser wallet where there is only window.ethereum', async () => {
    const buyer = await openAsBuyer(browser, harness.put('legacy'), {
      wallets: [makeWallet({ kind: 'legacy' })],
    })
    await buyer.page.getByRole('button', { name: 'Pay with Browser wallet' }).waitFor()
    expect(await buyer.page.locator('.wallet').count()).toBe(1)
    await buyer.close()
  })

  it('says within half a second that there is none, with no dead button', async () => {
    const buyer = await openAsBuyer(browser, harness.put('none'))
    await buyer.page.getByRole('heading', { name: 'No wallet found' }).waitFor({ timeout: 1_000 })
    expect(await buyer.page.locator('.wallet').count()).toBe(0)
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await buyer.close()
  })
})

describe('paying by a wallet', () => {
  it('in a token: allows, pays, hints, and shows the transaction even after a reload', async () => {
    const { buyer, wallet } = await begin('token', { purse: { ETH: 1, USDC: 100 } })
    const heard = await listen(buyer.page)
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    const hash = await buyer.page.locator('[data-slot=hash]').innerText()
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await buyer.page.locator('#stage a').getAttribute('href')).toBe(
      `https://explorer.example/tx/${hash}`,
    )
    expect(await buyer.page.locator('.qr, .copy, .wallet').count()).toBe(0)
    expect(wallet.count('eth_sendTransaction')).toBe(2)
    expect(harness.hints).toContain(hash)
    expect((await heard()).every((text) => text.startsWith('status: '))).toBe(true)
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    harness.put('token', { status: 'paid' })
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('with the keyboard alone, in the order of the page', async () => {
    const { buyer, wallet } = await begin('keys', { purse: { ETH: 1 }, token: 'ETH' })
    await buyer.page.locator('.wallet').waitFor()
    const order: string[] = []
    for (let i = 0; i < 12; i++) {
      await buyer.page.keyboard.press('Tab')
      order.push(await buyer.page.evaluate<string>(nameOfFocus))
    }
    expect(order).toEqual([
      'Skip to the payment',
      'USDC',
      'ETH',
      `Pay with ${wallet.name}`,
      'link',
      'Copy amount',
      'Copy address',
      'Help with this payment',
      ...order.slice(8),
    ])
    await buyer.page.locator('.wallet').focus()
    await buyer.page.keyboard.press('Enter')
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(await focusedText(buyer.page)).toBe('Payment sent')
    await buyer.close()
  })

  it('sends once, however often the button is pressed', async () => {
    const { buyer, wallet } = await begin('twice', { purse: { ETH: 1 }, token: 'ETH' })
    await buyer.page.locator('.wallet').dblclick()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('sends once, even where the first connection is answered after a second was asked for', async () => {
    const { buyer, wallet } = await begin('slow', { purse: { ETH: 1 }, token: 'ETH' })
    const release = wallet.hold('eth_requestAccounts')
    await payWith(buyer, wallet)
    await buyer.page.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => wallet.count('eth_requestAccounts')).toBe(2)
    release()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('on another network: names both, switches, and goes on by itself', async () => {
    const { buyer, wallet } = await begin('elsewhere', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 1, knows: [31337] },
    })
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Your wallet is on another network' }).waitFor()
    expect(await buyer.page.locator('.head p').innerText()).toContain(
      'is on Ethereum; this payment is on Local chain',
    )
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })

  it('on a network the wallet does not know: has it added with the right id', async () => {
    const { buyer, wallet } = await begin('unknown-chain', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 1 },
    })
    await payWith(buyer, wallet)
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(wallet.calls.find((call) => call.method === 'wallet_addEthereumChain')?.params).toEqual([
      expect.objectContaining({
        chainId: '0x7a69',
        chainName: 'Local chain',
        rpcUrls: ['http://127.0.0.1:8545'],
      }),
    ])
    await buyer.close()
  })

  it('on a network that the buyer changes by hand, after having refused to switch', async () => {
    const { buyer, wallet } = await begin('by-hand', {
      purse: { ETH: 1 },
      token: 'ETH',
      wallet: { chainId: 137 },
    })
    wallet.refuse('wallet_switchEthereumChain')
    await payWith(buyer, wallet)
    await buyer.page.getByRole('button', { name: 'Switch to Local chain' }).click()
    await buyer.page.getByRole('heading', { name: 'Switch to Local chain in your wallet' }).waitFor()
    expect(await buyer.page.locator('.head p').innerText()).toContain('31337')
    await wallet.moveTo(31337)
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('without enough of the token: shows have, need and missing, and sends nothing', async () => {
    const { buyer, wallet } = await begin('poor', { purse: { ETH: 1, USDC: 10 } })
    const heard = await listen(buyer.page)
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Not enough USDC' }).waitFor()
    expect(await buyer.page.locator('#stage dd').allInnerTexts()).toEqual(['10 USDC', '25 USDC', '15 USDC'])
    expect((await heard()).at(-1)).toMatch(/^alert: This account/)
    expect(wallet.count('eth_sendTransaction')).toBe(0)
    await buyer.close()
  })

  it('with the token but nothing for the fee: says that it is the fee', async () => {
    const { buyer, wallet } = await begin('no-gas', { purse: { USDC: 100 } })
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Not enough ETH for the network fee' }).waitFor()
    expect(wallet.count('eth_sendTransaction')).toBe(0)
    await chain.fund(wallet.address as never, { ETH: 1 })
    await buyer.page.getByRole('button', { name: 'Check again' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('that the buyer refuses: nothing was charged, and can be tried again at once', async () => {
    const { buyer, wallet } = await begin('refused', { purse: { ETH: 1 }, token: 'ETH' })
    wallet.refuse('eth_sendTransaction')
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    wallet.accept('eth_sendTransaction')
    await buyer.page.getByRole('button', { name: 'Try again' }).click({ timeout: 200 })
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('that has a request open already: says so', async () => {
    const { buyer, wallet } = await begin('busy', { purse: { ETH: 1 }, token: 'ETH' })
    wallet.refuse('eth_requestAccounts', { code: -32002, message: 'Request already pending' })
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'Your wallet already has a request open' }).waitFor()
    await buyer.page.getByRole('button', { name: 'Other ways to pay' }).click()
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await buyer.close()
  })

  it('that fails for a reason of its own: gives the reason as text', async () => {
    const { buyer, wallet } = await begin('odd', { purse: { ETH: 1 }, token: 'ETH' })
    wallet.refuse('eth_sendTransaction', { code: -32000, message: '<b>ledger is asleep</b>' })
    await payWith(buyer, wallet)
    await buyer.page.getByText('<b>ledger is asleep</b>', { exact: true }).waitFor()
    await buyer.close()
  })

  it('whose transaction the network undoes: nothing but the fee is gone, and it can be tried again', async () => {
    const { buyer, wallet } = await begin('undone', { purse: { ETH: 1, USDC: 100 }, calls: [failing()] })
    await payWith(buyer, wallet)
    await buyer.page.getByRole('heading', { name: 'The transaction did not go through' }).waitFor()
    await buyer.page.reload()
    await buyer.page.locator('.wallet').waitFor()
    await buyer.close()
  })
})

const nameOfFocus = `(document.activeElement.textContent || document.activeElement.value || '').trim()`

function makeWallet(options: Partial<TestWalletOptions> = {}): TestWallet {
  return new TestWallet({ privateKey: generatePrivateKey(), rpcUrl: chain.rpcUrl, ...options })
}

async function begin(
  id: string,
  options: {
    purse: Parameters<TestChain['fund']>[1]
    token?: 'USDC' | 'ETH'
    wallet?: Partial<TestWalletOptions>
    calls?: CheckoutCall[]
  },
): Promise<{ buyer: BuyerPage; wallet: TestWallet }> {
  const wallet = makeWallet(options.wallet)
  await chain.fund(wallet.address as never, options.purse)
  const usdc = chain.contracts.tokens.USDC
  const call = (kind: CheckoutCall['kind'], to: Hex, data: Hex, value = '0x0') => ({
    kind,
    chainId: 31337,
    to,
    data,
    value,
  })
  const calls =
    options.calls ??
    (options.token === 'ETH'
      ? [call('pay', merchant, '0x', '0x1d9b1df6aa0aab')]
      : [
          call(
            'approve',
            usdc,
            encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [merchant, amount] }),
          ),
          call(
            'pay',
            usdc,
            encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [merchant, amount] }),
          ),
        ])
  const url = harness.put(id, (now) => ({
    tokens: tokens.map((token) => (token.symbol === 'USDC' ? { ...token, address: usdc } : token)),
    attempt: makeAttempt(options.token ?? 'USDC', now, { calls }),
  }))
  return { wallet, buyer: await openAsBuyer(browser, url, { wallets: [wallet] }) }
}

/** A transfer of more than there is: the token reverts. */
function failing(): CheckoutCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [merchant, 10n ** 30n] })
  return { kind: 'pay', chainId: 31337, to: chain.contracts.tokens.USDC, data, value: '0x0' }
}

async function payWith({ page }: { page: Page }, wallet: TestWallet): Promise<void> {
  await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
}
