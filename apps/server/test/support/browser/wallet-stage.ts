import type { AttemptView, CheckoutCall } from '@sluice/protocol/api/checkout.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { TestWallet, type TestWalletOptions } from '../chain/test-wallet.ts'
import { registerSecrets } from '../secrets/secret-register.ts'
import type { BuyerOptions, BuyerPage } from './checkout-browser.ts'
import { type CheckoutStage, startCheckoutStage } from './checkout-stage.ts'
import { addresses, makeAttempt, tokens, type ViewChanges } from './checkout-views.ts'

const { merchant } = addresses
const amount = 25_000_000n

/** A buyer with a funded wallet in front of an open receipt. */
export type WalletBuyer = BuyerPage & { readonly wallet: TestWallet; pay(): Promise<void> }

/** A stage with a real chain for the wallets in the browser. */
export type WalletStage = CheckoutStage & {
  readonly chain: TestChain
  makeWallet(options?: Partial<TestWalletOptions>): TestWallet
  /** Opens receipt `id` over 25 dollars with a wallet that holds `purse`. */
  begin(
    id: string,
    options: {
      purse: Parameters<TestChain['fund']>[1]
      token?: 'USDC' | 'ETH'
      wallet?: Partial<TestWalletOptions>
      calls?: CheckoutCall[]
      attempt?: Partial<AttemptView>
      page?: BuyerOptions
    },
  ): Promise<WalletBuyer>
  /** Whether the chain puts each transaction into a block at once. */
  setAutomine(isOn: boolean): Promise<void>
  /** A receipt over 25 dollars to be paid in a token; without its approval where that stands. */
  view(token: 'USDC' | 'ETH', isApproved?: boolean): (now: number) => ViewChanges
  /** A call that the chain undoes. */
  failingCall(): CheckoutCall
  close(): Promise<void>
}

/** Starts all of it; `site` is what the service is set up with. */
export async function startWalletStage(site: { walletConnectProject?: string } = {}): Promise<WalletStage> {
  const [stage, chain] = await Promise.all([startCheckoutStage(site), startTestChain()])
  const usdc = chain.contracts.tokens.USDC
  const makeWallet = (options: Partial<TestWalletOptions> = {}) =>
    new TestWallet({ privateKey: newPrivateKey(), rpcUrl: chain.rpcUrl, signs: false, ...options })
  return {
    ...stage,
    chain,
    makeWallet,
    async setAutomine(isOn) {
      const request = chain.client.request as (call: {
        method: string
        params: unknown[]
      }) => Promise<unknown>
      await request({ method: 'evm_setAutomine', params: [isOn] })
    },
    async begin(id, options) {
      const wallet = makeWallet(options.wallet)
      await chain.fund(wallet.address as Wallet, options.purse)
      const calls = options.calls ?? (options.token === 'ETH' ? etherCalls() : tokenCalls(usdc))
      const url = stage.harness.put(id, (now) => ({
        tokens: tokensWith(usdc),
        attempt: makeAttempt(options.token ?? 'USDC', now, { calls, ...options.attempt }),
      }))
      const buyer = await stage.open(url, { ...options.page, wallets: [wallet] })
      const pay = () => buyer.page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
      return { ...buyer, wallet, pay }
    },
    view:
      (token, isApproved = false) =>
      (now) => ({
        tokens: tokensWith(usdc),
        attempt: makeAttempt(token, now, {
          calls: token === 'ETH' ? etherCalls() : tokenCalls(usdc).slice(isApproved ? 1 : 0),
        }),
      }),
    failingCall() {
      const args = [merchant, 10n ** 30n] as const
      return call('pay', usdc, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }))
    },
    async close() {
      await stage.close()
      await chain.stop()
    },
  }
}

function tokensWith(usdc: Hex) {
  return tokens.map((token) => (token.symbol === 'USDC' ? { ...token, address: usdc } : token))
}

function etherCalls(): CheckoutCall[] {
  return [call('pay', merchant, '0x', '0x1d9b1df6aa0aab')]
}

function tokenCalls(token: Hex): CheckoutCall[] {
  const args = [merchant, amount] as const
  return [
    call('approve', token, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })),
    call('pay', token, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })),
  ]
}

function call(kind: CheckoutCall['kind'], to: Hex, data: Hex, value = '0x0'): CheckoutCall {
  return { kind, chainId: 31337, to, data, value }
}

function newPrivateKey(): Hex {
  const privateKey = generatePrivateKey()
  registerSecrets(privateKey)
  return privateKey
}
