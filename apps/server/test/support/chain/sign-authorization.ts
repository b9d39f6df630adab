import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import {
  type Authorization,
  authorizationTypes,
  type TokenDomain,
} from '../../../src/payments/relaying/authorization.ts'
import {
  type Permit,
  permitTypes,
  pullerAddress,
  readPermit,
  readPermitNonce,
} from '../../../src/payments/relaying/permit.ts'
import { newWallet } from '../asking/new-wallet.ts'
import type { ChainApi } from '../worlds/chain-api.ts'

/** A buyer with tokens and nothing to pay gas with. */
export type GaslessBuyer = { readonly wallet: Wallet; readonly privateKey: Hex }

/** Makes one, with dollars of USDC. */
export async function fundGaslessBuyer(bench: ChainApi, dollars = 1_000): Promise<GaslessBuyer> {
  const buyer = newWallet()
  await bench.node.fund(buyer.wallet, { USDC: dollars })
  return buyer
}

/** The domain of the test chain's USDC. */
export function usdcDomain(bench: ChainApi): TokenDomain {
  return {
    name: 'USD Coin',
    version: '2',
    chainId: bench.node.chainId,
    verifyingContract: bench.tokenAddress('USDC'),
  }
}

/** Signs what an attempt asks for, or something else. */
export async function signAuthorization(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Pick<Attempt, 'depositAddress' | 'amount'>,
  change: Partial<Authorization> & { readonly domain?: Partial<TokenDomain> } = {},
): Promise<{ authorization: Authorization; signature: Hex }> {
  const { domain, ...changed } = change
  const authorization: Authorization = {
    from: wallet,
    to: attempt.depositAddress,
    value: attempt.amount,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(bench.needs.chain.time.now() / 1000)) + 600n,
    nonce: bytesToHex(systemRandom.bytes(32)),
    ...changed,
  }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { ...usdcDomain(bench), ...domain },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  return { authorization, signature }
}

/** A buyer with coins of the test chain's cbBTC, which has permits and no other signatures. */
export async function fundPermitBuyer(bench: ChainApi, coins = 1): Promise<GaslessBuyer> {
  const buyer = newWallet()
  await bench.node.fund(buyer.wallet, { cbBTC: coins })
  return buyer
}

/** What an attempt asks for by a permit in cbBTC, or something else, signed. */
export async function signPermit(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Pick<Attempt, 'depositAddress' | 'amount'>,
  change: Partial<Permit> & { readonly chainId?: number } = {},
) {
  const { chain } = bench.needs
  const token = bench.tokenAddress('cbBTC')
  const { chainId = chain.id, ...changed } = change
  const deadline = change.deadline ?? BigInt(Math.floor(chain.time.now() / 1000)) + 600n
  const pull = {
    depositAddress: attempt.depositAddress,
    tokenAddress: token,
    amount: attempt.amount,
    validBefore: deadline + 1n,
  }
  const permit: Permit = {
    owner: wallet,
    spender: pullerAddress(chain.pullFactory as Wallet, pull),
    value: attempt.amount,
    nonce: (await readPermitNonce(chain, token, wallet)) ?? 0n,
    deadline,
    ...changed,
  }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { name: 'Coinbase Wrapped BTC', version: '1', chainId, verifyingContract: token },
    types: permitTypes,
    primaryType: 'Permit',
    message: permit,
  })
  const authorization = readPermit(permit)
  return { way: 'permit' as const, permit, authorization, permitNonce: permit.nonce, signature }
}
