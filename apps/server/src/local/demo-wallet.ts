import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Hex, keccak256, numberToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import { ApiError } from '../kernel/api-error.ts'
import { assert } from '../kernel/assert.ts'
import type { LocalWallet } from './local-settings.ts'

export const demoBuyerPath = '/local/wallet'

export const demoMerchantPath = '/local/merchant-wallet'

type DemoWallet = { readonly chain: Chain; readonly holder: LocalWallet; readonly baseUrl: string }

/** Typed data that each wallet signs, with the field that names the signer. */
const signerFields = {
  [demoMerchantPath]: { Login: 'wallet' },
  [demoBuyerPath]: { Claim: 'wallet', TransferWithAuthorization: 'from', Permit: 'owner' },
} as const

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

const maxTypedDataLength = 10_000

type WalletResponse =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/**
 * Adds a wallet endpoint, so that a browser without a wallet can use test money. Only pages of this service
 * can call it.
 */
export function addDemoWallet(
  app: FastifyInstance,
  path: keyof typeof signerFields,
  needs: DemoWallet,
): void {
  const { host } = new URL(needs.baseUrl)
  // Not rate-limited: only pages on this machine can call it, and they poll every second.
  app.post(path, { config: { limit: 'none' } }, async (request): Promise<WalletResponse> => {
    const { origin } = request.headers
    if (request.headers.host !== host || (origin !== undefined && origin !== needs.baseUrl)) {
      throw new ApiError('forbidden', 'Only pages of this service can use the demo wallet')
    }
    if (!call.Check(request.body)) return refuse(-32600, 'not a wallet request')
    const { method, params } = request.body as { method: string; params?: unknown[] }
    if (method === 'eth_signTypedData_v4') return sign(needs, signerFields[path], params?.[1])
    return respond(needs, method, params ?? [])
  })
}

async function respond(
  needs: DemoWallet,
  method: string,
  params: readonly unknown[],
): Promise<WalletResponse> {
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
    default:
      return refuse(4200, `${method} is not supported by the demo wallet`)
  }
}

async function read(chain: Chain, asked: unknown): Promise<WalletResponse> {
  if (!transaction.Check(asked)) return refuse(-32602, 'not a call')
  const { to, data } = asked as { to: string; data?: Hex }
  const target = parseWallet(to)
  assert(target, 'the schema admits only wallets')
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

async function send({ chain, holder }: DemoWallet, asked: unknown): Promise<WalletResponse> {
  if (!transaction.Check(asked)) return refuse(-32602, 'not a transaction')
  const { to, data = '0x', value = '0x0' } = asked as { to: Hex; data?: Hex; value?: Hex }
  const account = privateKeyToAccount(holder.privateKey)
  const raw = await signCall(chain, account, { to, data, value: BigInt(value) })
  if (!raw) return refuse(3, 'the transaction would revert')
  await chain.sendRaw(raw)
  return { result: keccak256(raw) }
}

/** Signs a call as a transaction of the account. Returns `undefined` if the call would revert. */
export async function signCall(
  chain: Chain,
  account: PrivateKeyAccount,
  call: { readonly to: Hex; readonly data: Hex; readonly value: bigint },
): Promise<Hex | undefined> {
  const from = parseWallet(account.address)
  const to = parseWallet(call.to)
  assert(from && to, 'both ends of a call are wallets')
  const [nonce, fees, estimate] = await Promise.all([
    chain.readNonce(from, 'pending'),
    chain.readFees(),
    chain.estimateGas({ from, ...call, to }),
  ])
  if (!estimate.ok) return undefined
  // A distribution between the estimate and the block makes the split's first storage writes more expensive.
  const gas = (estimate.gas * 3n) / 2n + 20_000n
  return account.signTransaction({ ...call, ...fees, chainId: chain.id, type: 'eip1559', nonce, gas })
}

/** Signs the typed data in `signers`, but only for the holder, this service and this chain. */
async function sign(
  { chain, holder, baseUrl }: DemoWallet,
  signers: Readonly<Record<string, string>>,
  text: unknown,
): Promise<WalletResponse> {
  try {
    const typed = JSON.parse(String(text).slice(0, maxTypedDataLength))
    const { host = new URL(baseUrl).host } = typed.message
    const signer = String(typed.message[signers[typed.primaryType] ?? ''])
    const isOwn = parseWallet(signer) === holder.address && host === new URL(baseUrl).host
    if (isOwn && (typed.domain.chainId ?? chain.id) === chain.id)
      return { result: await privateKeyToAccount(holder.privateKey).signTypedData(typed) }
  } catch {
    // Not typed data: rejected below.
  }
  return refuse(4200, 'the demo wallet signs only logins, claims and its own transfers')
}

function refuse(code: number, message: string): WalletResponse {
  return { error: { code, message } }
}
