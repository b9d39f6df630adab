import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, encodeFunctionData, type Hex } from 'viem'
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
import {
  type Permit2Transfer,
  permit2Address,
  permit2Domain,
  permit2Message,
  permit2Types,
  readPermit2,
} from '../../../src/payments/relaying/permit2.ts'
import { newWallet } from '../api/sessions.ts'
import type { ChainApi } from './chain-api.ts'
import { passBlock } from './keeper.ts'

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

/** A buyer with dollars of USDT, which has no signatures of its own, who approved Permit2 once and has no ETH left. */
export async function fundPermit2Buyer(
  bench: ChainApi,
  { dollars = 1_000, approved = 2n ** 256n - 1n }: { dollars?: number; approved?: bigint } = {},
): Promise<GaslessBuyer> {
  const buyer = newWallet()
  await bench.node.fund(buyer.wallet, { USDT: dollars })
  await approvePermit2(bench, buyer.wallet, approved)
  return buyer
}

/** A wallet's own transaction that has Permit2 take so much USDT of it. */
export async function approvePermit2(bench: ChainApi, wallet: Wallet, approved: bigint): Promise<void> {
  const args = [permit2Address, approved] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  await actAs(bench, wallet, { to: bench.tokenAddress('USDT'), data })
}

/** Has a wallet send a transaction of its own, and mines it. It is lent the ETH for that. */
export async function actAs(
  bench: ChainApi,
  wallet: Wallet,
  { to, data }: { to: Wallet; data: Hex },
): Promise<Hex> {
  const { client } = bench.node
  await client.setBalance({ address: wallet, value: 10n ** 18n })
  await client.impersonateAccount({ address: wallet })
  const hash = await client.sendUnsignedTransaction({ from: wallet, to, data, gas: 200_000n })
  await passBlock(bench)
  const { status } = await client.getTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`the transaction of ${wallet} was undone`)
  await client.stopImpersonatingAccount({ address: wallet })
  await client.setBalance({ address: wallet, value: 0n })
  return hash
}

/** What an attempt asks for through Permit2 in USDT, or something else, signed. */
export async function signPermit2(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Pick<Attempt, 'depositAddress' | 'amount'>,
  change: Partial<Permit2Transfer> & { readonly chainId?: number } = {},
) {
  const { chain } = bench.needs
  const { chainId = chain.id, ...changed } = change
  const deadline = change.deadline ?? BigInt(Math.floor(chain.time.now() / 1000)) + 600n
  const pull = {
    depositAddress: attempt.depositAddress,
    tokenAddress: bench.tokenAddress('USDT'),
    amount: attempt.amount,
    validBefore: deadline + 1n,
  }
  const pullFactory = chain.pullFactory as Wallet
  const message: Permit2Transfer = { ...permit2Message(pullFactory, pull), ...changed }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: permit2Domain(chainId),
    types: permit2Types,
    primaryType: 'PermitWitnessTransferFrom',
    message,
  })
  const authorization = readPermit2(wallet, message, pullFactory)
  return { way: 'permit2' as const, message, pull, payer: wallet, authorization, signature }
}

/** Such a message as it goes over the wire. */
export function textsOfPermit2({ permitted, spender, nonce, deadline, witness }: Permit2Transfer) {
  return {
    permitted: { token: permitted.token, amount: String(permitted.amount) },
    spender,
    nonce: String(nonce),
    deadline: String(deadline),
    witness,
  }
}
