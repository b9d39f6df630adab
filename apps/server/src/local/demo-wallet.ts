import { loginDomain } from '@sluice/protocol/api/auth.ts'
import { type ClaimTypedData, claimTypes } from '@sluice/protocol/api/claims.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Hex, keccak256, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { LocalWallet } from './master-key.ts'
import { signLogin } from './sign-login.ts'
import { signTransfer } from './sign-transfer.ts'

/** Where the wallet in a buyer's page asks the service to act for the demo buyer. */
export const demoBuyerPath = '/local/wallet'

/** Where the wallet in the merchant's web app asks the service to act for the demo merchant. */
export const demoMerchantPath = '/local/merchant-wallet'

/** What a demo wallet acts with. */
type DemoWallet = {
  readonly chain: Chain
  readonly holder: LocalWallet
  /** Signs the service's logins, and no other typed data; where absent it signs nothing. */
  readonly signsLogins?: boolean
}

const call = Compile(
  Type.Object({
    method: Type.String({ maxLength: 64 }),
    params: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 8 })),
  }),
)

const transaction = Compile(
  Type.Object({
    to: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
    data: Type.Optional(Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$', maxLength: 20_000 })),
    value: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })),
  }),
)

const word = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
const account = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const instant = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const claim = Compile(
  Type.Object({
    primaryType: Type.Literal('Claim'),
    message: Type.Object({
      wallet: account,
      host: Type.String({ maxLength: 255 }),
      purpose: Type.String({ maxLength: 200 }),
      chainId: instant,
      transactionHash: word,
      logIndex: Type.Integer({ minimum: -1, maximum: 1_000_000_000 }),
      refundAddress: account,
      nonce: word,
      issuedAt: instant,
      expiresAt: instant,
    }),
  }),
)

/** What an EIP-1193 wallet answers a refused or unknown request with. */
type WalletAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/**
 * Lets a local service be tried with play money from a browser that has no wallet: the page announces a wallet
 * that asks here. Only pages of this very service are answered.
 */
export function addDemoWallet(
  app: FastifyInstance,
  path: typeof demoBuyerPath | typeof demoMerchantPath,
  needs: DemoWallet & { baseUrl: string },
): void {
  const { host } = new URL(needs.baseUrl)
  // Pages of this very machine alone are answered, and they ask every second while they wait.
  app.post(path, { config: { limit: 'none' } }, async (request): Promise<WalletAnswer> => {
    const { origin } = request.headers
    if (request.headers.host !== host || (origin !== undefined && origin !== needs.baseUrl)) {
      throw new Refusal('forbidden', 'Only pages of this service can use the demo wallet')
    }
    if (!call.Check(request.body)) return refuse(-32600, 'not a wallet request')
    const { method, params } = request.body as { method: string; params?: unknown[] }
    if (method === 'eth_signTypedData_v4' && needs.signsLogins) {
      const signature = await signLogin({ holder: needs.holder, host }, params?.[1])
      return signature
        ? { result: signature }
        : refuse(4200, 'the demo wallet signs logins to this service only')
    }
    return answer(needs, method, params ?? [])
  })
}

async function answer(needs: DemoWallet, method: string, params: readonly unknown[]): Promise<WalletAnswer> {
  const { chain, holder } = needs
  switch (method) {
    case 'eth_requestAccounts':
    case 'eth_accounts':
      return { result: [holder.address] }
    case 'eth_chainId':
      return { result: numberToHex(chain.id) }
    case 'wallet_switchEthereumChain':
      return { result: null }
    case 'eth_getBalance':
      return { result: numberToHex((await chain.readBalances([holder.address], 'latest'))[0] ?? 0n) }
    case 'eth_gasPrice':
      return { result: numberToHex((await chain.readFees()).maxFeePerGas) }
    case 'eth_call':
      return read(chain, params[0])
    case 'eth_getTransactionReceipt':
      return { result: await findReceipt(chain, params[0]) }
    case 'eth_sendTransaction':
      return send(needs, params[0])
    case 'eth_signTypedData_v4':
      return sign(needs, params[1])
    default:
      return refuse(4200, `${method} is not supported by the demo wallet`)
  }
}

async function read(chain: Chain, asked: unknown): Promise<WalletAnswer> {
  if (!transaction.Check(asked)) return refuse(-32602, 'not a call')
  const { to, data } = asked as { to: string; data?: Hex }
  const target = parseWallet(to)
  assert(target, 'the schema lets only wallets through')
  const outcome = await chain.call(target, data ?? '0x')
  return outcome.ok ? { result: outcome.data } : refuse(3, 'execution reverted')
}

async function findReceipt(chain: Chain, hash: unknown): Promise<unknown> {
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/.test(hash)) return null
  const receipt = await chain.findReceipt(hash as Hex)
  if (!receipt) return null
  const { isSuccess, blockNumber, blockHash } = receipt
  return {
    transactionHash: hash,
    status: isSuccess ? '0x1' : '0x0',
    blockNumber: numberToHex(blockNumber),
    blockHash,
  }
}

async function send({ chain, holder }: DemoWallet, asked: unknown): Promise<WalletAnswer> {
  if (!transaction.Check(asked)) return refuse(-32602, 'not a transaction')
  const { to, data = '0x', value = '0x0' } = asked as { to: string; data?: Hex; value?: Hex }
  const target = parseWallet(to)
  assert(target, 'the schema lets only wallets through')
  const order = { from: holder.address, to: target, data, value: BigInt(value) }
  const [nonce, fees, estimate] = await Promise.all([
    chain.readNonce(holder.address, 'pending'),
    chain.readFees(),
    chain.estimateGas(order),
  ])
  if (!estimate.ok) return refuse(3, 'the transaction would be reverted')
  const account = privateKeyToAccount(holder.privateKey)
  // A distribution between the estimate and the block makes the split's first storage slots dearer.
  const gas = (estimate.gas * 3n) / 2n + 20_000n
  const { from: _, ...rest } = order
  const raw = await account.signTransaction({
    ...rest,
    chainId: chain.id,
    type: 'eip1559',
    nonce,
    gas,
    ...fees,
  })
  await chain.sendRaw(raw)
  return { result: keccak256(raw) }
}

/**
 * Of typed data claims are signed, and transfers of play money that the service submits; no permit, since it would let
 * others take what they like.
 */
async function sign({ chain, holder }: DemoWallet, text: unknown): Promise<WalletAnswer> {
  const asked = typeof text === 'string' ? parseJson(text) : undefined
  const transfer = await signTransfer({ chain, holder }, asked)
  if (transfer) return { result: transfer }
  if (!claim.Check(asked)) return refuse(4200, 'the demo wallet signs claims and transfers of its own only')
  const { message } = asked as ClaimTypedData
  const account = privateKeyToAccount(holder.privateKey)
  const signed = { domain: loginDomain, types: claimTypes, primaryType: 'Claim', message } as const
  return {
    result: await account.signTypedData(signed as unknown as Parameters<typeof account.signTypedData>[0]),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refuse(code: number, message: string): WalletAnswer {
  return { error: { code, message } }
}
