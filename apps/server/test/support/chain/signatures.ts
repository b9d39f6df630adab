import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, encodeFunctionData, type Hex, numberToHex, serializeErc6492Signature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { Purse } from '../../../src/local/start-local.ts'
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

export type GaslessBuyer = { readonly wallet: Wallet; readonly privateKey: Hex }

type Asked = Pick<Attempt, 'depositAddress' | 'amount'>

async function fundBuyer(bench: ChainApi, purse: Purse): Promise<GaslessBuyer> {
  const buyer = newWallet()
  await bench.node.fund(buyer.wallet, purse)
  return buyer
}

export const fundGaslessBuyer = (bench: ChainApi, dollars = 1_000) => fundBuyer(bench, { USDC: dollars })

export const fundPermitBuyer = (bench: ChainApi, coins = 1) => fundBuyer(bench, { cbBTC: coins })

export async function fundPermit2Buyer(
  bench: ChainApi,
  { dollars = 1_000, approved = 2n ** 256n - 1n }: { dollars?: number; approved?: bigint } = {},
): Promise<GaslessBuyer> {
  const buyer = await fundBuyer(bench, { USDT: dollars })
  await approvePermit2(bench, buyer.wallet, approved)
  return buyer
}

export async function approvePermit2(bench: ChainApi, wallet: Wallet, approved: bigint): Promise<void> {
  const args = [permit2Address, approved] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  await actAs(bench, wallet, { to: bench.tokenAddress('USDT'), data })
}

/** Sends and mines a transaction of a wallet, which gets ETH for this transaction only. */
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

const inTenMinutes = ({ needs }: ChainApi) => BigInt(Math.floor(needs.chain.time.now() / 1000)) + 600n

export async function signAuthorization(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Asked,
  change: Partial<Authorization> & { readonly domain?: Partial<TokenDomain> } = {},
): Promise<{ authorization: Authorization; signature: Hex }> {
  const { domain, ...changed } = change
  const authorization: Authorization = {
    from: wallet,
    to: attempt.depositAddress,
    value: attempt.amount,
    validAfter: 0n,
    validBefore: inTenMinutes(bench),
    nonce: bytesToHex(systemRandom.bytes(32)),
    ...changed,
  }
  const usdc = { name: 'USD Coin', version: '2', verifyingContract: bench.tokenAddress('USDC') }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { ...usdc, chainId: bench.node.chainId, ...domain },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  return { authorization, signature }
}

const pullOf = ({ depositAddress, amount }: Asked, tokenAddress: Wallet, deadline: bigint) => ({
  depositAddress,
  tokenAddress,
  amount,
  validBefore: deadline + 1n,
})

export async function signPermit(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Asked,
  change: Partial<Permit> & { readonly chainId?: number } = {},
) {
  const { chain } = bench.needs
  const token = bench.tokenAddress('cbBTC')
  const { chainId = chain.id, ...changed } = change
  const deadline = change.deadline ?? inTenMinutes(bench)
  const permit: Permit = {
    owner: wallet,
    spender: pullerAddress(chain.pullFactory as Wallet, pullOf(attempt, token, deadline)),
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

export async function signPermit2(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Asked,
  change: Partial<Permit2Transfer> & { readonly chainId?: number } = {},
) {
  const { chain } = bench.needs
  const { chainId = chain.id, ...changed } = change
  const pull = pullOf(attempt, bench.tokenAddress('USDT'), change.deadline ?? inTenMinutes(bench))
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

/** Converts the numbers of a Permit2 transfer to strings, as the API requires. */
export const textsOfPermit2 = ({ permitted, nonce, deadline, ...rest }: Permit2Transfer) => ({
  ...rest,
  permitted: { token: permitted.token, amount: String(permitted.amount) },
  nonce: String(nonce),
  deadline: String(deadline),
})

/** Returns the code of an account that accepts only signatures of `bytes` bytes (ERC-1271). */
export function accountThatTakes(bytes: number): Hex {
  return `0x60443560${numberToHex(bytes, { size: 1 }).slice(2)}14631626ba7e0260e01b5f5260205ff3`
}

export function wrapSignature(signature: Hex): Hex {
  return serializeErc6492Signature({ address: `0x${'fa'.repeat(20)}`, data: '0x1234', signature })
}
