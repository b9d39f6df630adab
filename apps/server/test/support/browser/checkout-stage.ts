import type { AttemptView, CheckoutCall } from '@sluice/protocol/api/checkout.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { newWallet } from '../api/sessions.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { TestWallet, type TestWalletOptions } from '../chain/test-wallet.ts'
import { openBrowser } from './browser.ts'
import { type BuyerOptions, openAsBuyer } from './checkout-browser.ts'
import { addresses, makeAttempt, tokens, type ViewChanges } from './checkout-views.ts'
import { startPageHarness } from './page-harness.ts'

export async function startCheckoutStage(site: { walletConnectProject?: string } = {}) {
  const [harness, browser] = await Promise.all([startPageHarness(site), openBrowser()])
  const problems: string[] = []
  return {
    harness,
    browser,
    /** Problems of every closed page, each with the page's address. */
    problems,
    /** Opens a page as a new buyer. Closing it keeps its problems. */
    async open(url: string, options?: BuyerOptions) {
      const buyer = await openAsBuyer(browser, url, options)
      const close = async () => {
        problems.push(...buyer.problems.map((each) => `${buyer.page.url()}: ${each}`))
        await buyer.close()
      }
      return { ...buyer, close }
    },
    async close() {
      await browser.close()
      await harness.close()
    },
  }
}

export type WalletStage = Awaited<ReturnType<typeof startWalletStage>>

export type WalletBuyer = Awaited<ReturnType<WalletStage['begin']>>

export async function startWalletStage(site: { walletConnectProject?: string } = {}) {
  const [stage, chain] = await Promise.all([startCheckoutStage(site), startTestChain()])
  const usdc = chain.contracts.tokens.USDC
  const offered = tokens.map((token) => (token.symbol === 'USDC' ? { ...token, address: usdc } : token))
  const makeWallet = (options: Partial<TestWalletOptions> = {}) =>
    new TestWallet({ privateKey: newWallet().privateKey, rpcUrl: chain.rpcUrl, signs: false, ...options })
  /** Returns an open receipt for 25 dollars. `changes.calls` replaces the token's calls. */
  const view =
    (token: 'USDC' | 'ETH', changes: Partial<AttemptView> = {}) =>
    (now: number): ViewChanges => ({
      tokens: offered,
      attempt: makeAttempt(token, now, { calls: callsFor(token === 'ETH' ? undefined : usdc), ...changes }),
    })
  return {
    ...stage,
    chain,
    makeWallet,
    view,
    async begin(
      id: string,
      options: {
        purse: Parameters<TestChain['fund']>[1]
        token?: 'USDC' | 'ETH'
        wallet?: Partial<TestWalletOptions>
        attempt?: Partial<AttemptView>
        page?: BuyerOptions
      },
    ) {
      const wallet = makeWallet(options.wallet)
      await chain.fund(wallet.address as Wallet, options.purse)
      const url = stage.harness.put(id, view(options.token ?? 'USDC', options.attempt))
      const buyer = await stage.open(url, { ...options.page, wallets: [wallet] })
      const pay = () => buyer.page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
      return { ...buyer, wallet, pay }
    },
    async close() {
      await stage.close()
      await chain.stop()
    },
  }
}

/** Returns the calls that pay 25 dollars: approval and transfer of a token, or an ETH transfer. */
function callsFor(token: Hex | undefined): CheckoutCall[] {
  const { merchant } = addresses
  const call = { chainId: 31337, value: '0x0' }
  if (token === undefined)
    return [{ ...call, kind: 'pay', to: merchant, data: '0x', value: '0x1d9b1df6aa0aab' }]
  const dataOf = (functionName: 'approve' | 'transfer') =>
    encodeFunctionData({ abi: erc20Abi, functionName, args: [merchant, 25_000_000n] })
  return [
    { ...call, kind: 'approve', to: token, data: dataOf('approve') },
    { ...call, kind: 'pay', to: token, data: dataOf('transfer') },
  ]
}
