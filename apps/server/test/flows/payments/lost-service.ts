import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { runCli } from '../../../../../packages/cli/src/run-cli.ts'
import { program } from '../../../../cli/src/program.ts'
import { permit2Address } from '../../../src/payments/relaying/permit2.ts'
import { sweepData } from '../../../src/payments/sweeping/read-sweepable.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { entitlement, type Split } from '../../../src/split/split.ts'
import { makePaperProvider } from '../../support/api/onramp.ts'
import { testMasterKey as masterKey, type TestMerchant } from '../../support/api/start-api.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'
import { relayerKey } from '../../support/chain/relaying.ts'

const cliFolder = join(import.meta.dirname, '../../../../cli')

export const paidTokens = ['USDC', 'cbBTC', 'ETH', 'USDT'] as const
export type PaidToken = (typeof paidTokens)[number]

/**
 * The way a payment reaches its deposit address. A signature is an EIP-3009 authorization for USDC, a permit
 * for cbBTC, and a Permit2 transfer for USDT. A provider of card payments delivers USDC.
 */
export type DepositWay = 'transfer' | 'signature' | 'card'

/**
 * The state of a payment when the service is lost. `called` was made by a call of the split. `again` was
 * swept, and paid once more.
 */
export type Ending = 'called' | 'left' | 'swept' | 'again'

export type LostPayments = {
  /** Base units by merchant and token. */
  readonly paid: Map<string, bigint>
  /** Deposit addresses that hold money. */
  readonly unswept: Set<string>
  count: number
}

export const nothingLost = (): LostPayments => ({ paid: new Map(), unswept: new Set(), count: 0 })

export function addressOf(context: PaymentContext, token: PaidToken): Wallet {
  return token === 'ETH' ? nativeAddress : context.tokenAddress(token)
}

/** Starts the service with a relayer and a provider of card payments. */
export async function startLosable() {
  const provider = makePaperProvider(() => context.clock.now())
  const context: PaymentContext = await startPayments({ blockTime: 0, relayerKey, onramp: [provider] })
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [permit2Address, maxUint256],
  })
  await context.send({ to: context.tokenAddress('USDT'), data })
  return { ...context, provider }
}

type Losable = Awaited<ReturnType<typeof startLosable>>
type Payment = { readonly merchant: TestMerchant; readonly id: string; readonly token: PaidToken }

/** Opens an attempt and pays it. The amounts are odd, so that no division is exact by chance. */
export async function payAndEnd(
  context: Losable,
  lost: LostPayments,
  {
    merchant,
    token,
    way = 'transfer',
    end,
  }: { merchant: TestMerchant; token: PaidToken; way?: DepositWay; end: Ending },
): Promise<void> {
  const id = `lost-${++lost.count}`
  await context.syncClock()
  const lineItems = [{ label: 'Thing', amount: (1_000 + lost.count) / 100 }]
  await post(context, '/api/receipts', { id, lineItems }, merchant.key)
  const more = BigInt(7 * lost.count)
  const pay = { transfer: payByWallet, signature: payBySignature, card: payByCard }[way]
  const { attemptId, units } = await pay(context, { merchant, id, token }, more, end === 'called')

  const [attempt] = await context.rows<{ split: Wallet; reference: Hex; deposit: Wallet }>(
    `SELECT split_address AS split, reference, deposit_address AS deposit FROM attempt WHERE id = $1`,
    [attemptId],
  )
  if (!attempt) throw new Error('the attempt is stored')
  const { split, reference, deposit } = attempt
  const address = addressOf(context, token)
  if (end !== 'called')
    await expect.poll(() => context.balanceOf(address, deposit), { interval: 10 }).toBe(units)
  // A payer can have only one permit in progress: the relayer notes that this one is mined.
  if (way === 'signature') await context.run(jobNames.relayPayments)
  if (end === 'swept' || end === 'again') {
    const data = sweepData({ split, reference, token: address })
    await context.send({ to: context.needs.chain.factory, data })
  }
  if (end === 'again') await context.transfer(address, deposit, 11n)
  if (end === 'left' || end === 'again') lost.unswept.add(deposit.toLowerCase())
  const key = `${merchant.wallet} ${token}`
  lost.paid.set(key, (lost.paid.get(key) ?? 0n) + units + (end === 'again' ? 11n : 0n))
}

async function payByWallet(context: Losable, payment: Payment, more: bigint, isCall: boolean) {
  const attempt: AttemptView = await checkOut(context, payment, 'attempts', { token: payment.token })
  const units = BigInt(attempt.remaining) + more
  await context.pay(attempt, isCall ? 'call' : 'transfer', units)
  return { attemptId: attempt.attemptId, units }
}

/** Signs as the checkout does. The relayer submits exactly the signed amount. */
async function payBySignature(context: Losable, payment: Payment) {
  const payer = context.buyer.address
  const asked = await checkOut(context, payment, 'signature-request', { token: payment.token, payer })
  const { attemptId, typedData } = asked
  const { EIP712Domain: _, ...types } = typedData.types
  const signature = await privateKeyToAccount(context.buyer.privateKey).signTypedData({ ...typedData, types })
  const signed = { attemptId, authorization: typedData.message, payer, signature }
  const { amount } = await checkOut(context, payment, 'signatures', signed)
  await context.run(jobNames.relayPayments)
  return { attemptId, units: BigInt(amount) }
}

async function payByCard(context: Losable, payment: Payment, more: bigint) {
  const { attemptId, providerSessionId } = await checkOut(context, payment, 'onramp')
  const order = context.provider.orders.get(providerSessionId)
  if (!order) throw new Error('the provider has the order')
  const units = order.amount.units + more
  await context.transfer(addressOf(context, payment.token), order.depositAddress as Wallet, units)
  return { attemptId, units }
}

function checkOut(context: Losable, { merchant, id }: Payment, action: string, body?: object) {
  return post(context, `/api/checkout/${id}/${action}?recipient=${merchant.wallet}`, body)
}

async function post({ api }: Losable, path: string, body?: object, key?: string) {
  const { status, text, body: response } = await api.call('POST', path, { body, key })
  if (status >= 300) throw new Error(text)
  return response
}

export async function listSplits(
  { needs }: PaymentContext,
  merchants: readonly TestMerchant[],
): Promise<Split[]> {
  const found = await Promise.all(merchants.map(({ wallet }) => findCurrentSplit(needs.db, wallet)))
  return found.flatMap((split) => split ?? [])
}

/** Writes the recovery kit with the operator's command. */
export async function exportKit(context: PaymentContext, path: string): Promise<void> {
  await runOperator(context, 'recovery', 'export', '--out', path)
}

async function runOperator({ database, node }: PaymentContext, ...args: readonly string[]): Promise<string> {
  const written: string[] = []
  const code = await runCli(program, args, {
    env: {
      DATABASE_URL: database.url,
      SLUICE_MASTER_KEY: masterKey,
      CHAIN_ID: '31337',
      RPC_URLS: node.rpcUrl,
    },
    signal: new AbortController().signal,
    stdout: { write: (text) => written.push(text) },
    stderr: { write: () => {} },
    readStdin: async () => '',
    ask: async () => undefined,
  })
  expect(code).toBe(0)
  return written.join('')
}

export async function readWords(context: PaymentContext): Promise<string> {
  return JSON.parse(await runOperator(context, 'recovery', 'show', '--json')).words.join(' ')
}

type RecoverOptions = { readonly cwd: string; readonly words: string; readonly program?: string }

/** Writes the program as a release contains it: one file, here in a folder without packages. */
export async function buildRecover(folder: string): Promise<string> {
  const program = join(folder, 'recover.mjs')
  const child = spawn(process.execPath, [join(cliFolder, 'build-recover.ts'), program], { stdio: 'inherit' })
  expect(await once(child, 'close')).toEqual([0, null])
  return program
}

/**
 * Runs the program in a process of its own, which gets an endpoint, the words and a key for gas.
 *
 * @param options.program - File to run, if it is not the source.
 * @param options.kill - Kills the process when it aborts. The exit code is then `null`.
 */
export async function recover(
  { node }: PaymentContext,
  { cwd, words, program = join(cliFolder, 'recover.ts'), kill }: RecoverOptions & { kill?: AbortSignal },
  ...args: readonly string[]
) {
  const env = { RPC_URL: node.rpcUrl, RECOVERY_GAS_KEY: gasAccountOf(node).privateKey }
  const child = spawn(process.execPath, [program, ...args], { cwd, env })
  kill?.addEventListener('abort', () => child.kill('SIGKILL'))
  child.stdin.end(words)
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, out, error }
}

export function gasAccountOf({ accounts: [, , , account] }: PaymentContext['node']) {
  if (!account) throw new Error('there are five accounts')
  return account
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of any method
export type RpcCall = { readonly id: number; readonly method: string; readonly params?: readonly any[] }

/** Starts an endpoint that answers each call. `pass` returns the response of the chain. */
export async function startEndpoint(
  { node }: PaymentContext,
  answer: (call: RpcCall, pass: () => Promise<string>) => Promise<string>,
) {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = { 'content-type': 'application/json' }
    const pass = async () => (await fetch(node.rpcUrl, { method: 'POST', body, headers })).text()
    response.setHeader('content-type', 'application/json')
    response.end(await answer(JSON.parse(body), pass))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Runs the program and kills it at its `count`th transaction: before the chain gets it, or before the program
 * gets the response.
 */
export async function recoverKilled(
  context: PaymentContext,
  options: RecoverOptions,
  { count, isSent }: { readonly count: number; readonly isSent: boolean },
  ...args: readonly string[]
) {
  const kill = new AbortController()
  let left = count
  const endpoint = await startEndpoint(context, async ({ method }, pass) => {
    if (method !== 'eth_sendRawTransaction' || --left > 0) return pass()
    if (isSent) await pass()
    kill.abort()
    return ''
  })
  try {
    return await recover(context, { ...options, kill: kill.signal }, ...args, '--rpc', endpoint.url)
  } finally {
    await endpoint.stop()
  }
}

/** Expects that each recipient got its part of everything, and that no deposit address holds money. */
export async function expectPaidOut(
  context: PaymentContext,
  { paid, unswept }: LostPayments,
  splits: readonly Split[],
): Promise<void> {
  const parts = new Map<string, bigint>()
  for (const { merchant, recipients } of splits)
    for (const token of paidTokens) {
      const total = paid.get(`${merchant} ${token}`) ?? 0n
      const own = recipients.map((recipient) => entitlement(total, recipient))
      // A token of which nothing would remain keeps one unit of the last part.
      const isUnitKept = token !== 'ETH' && own.reduce((sum, part) => sum + part, 0n) === total
      for (const [i, { address }] of recipients.entries()) {
        const part = (own[i] ?? 0n) - (isUnitKept && i === recipients.length - 1 ? 1n : 0n)
        parts.set(`${address} ${token}`, (parts.get(`${address} ${token}`) ?? 0n) + part)
      }
    }
  const received = new Map<string, bigint>()
  for (const key of parts.keys()) {
    const [address = '', token] = key.split(' ') as [string, PaidToken]
    received.set(key, await context.balanceOf(addressOf(context, token), address))
  }
  expect(received).toEqual(parts)
  for (const address of unswept)
    for (const token of paidTokens)
      expect(await context.balanceOf(addressOf(context, token), address)).toBe(0n)
}
