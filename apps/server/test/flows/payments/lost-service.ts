import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import { runCli } from '../../../../../packages/cli/src/run-cli.ts'
import { program } from '../../../../cli/src/program.ts'
import { sweepData } from '../../../src/payments/sweeping/read-sweepable.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { entitlement, type Split } from '../../../src/split/split.ts'
import { testMasterKey as masterKey, type TestMerchant } from '../../support/api/start-api.ts'
import type { PaymentContext } from '../../support/chain/payments.ts'

const recoverProgram = join(import.meta.dirname, '../../../../cli/recover.ts')

export const paidTokens = ['USDC', 'cbBTC', 'ETH'] as const
export type PaidToken = (typeof paidTokens)[number]

/** The state of a payment when the service is lost. `again` was swept, and paid once more. */
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

/** Opens an attempt and pays a little more than asked, so that amounts are odd. */
export async function payAndEnd(
  context: PaymentContext,
  lost: LostPayments,
  { merchant, token, end }: { merchant: TestMerchant; token: PaidToken; end: Ending },
): Promise<void> {
  const address = addressOf(context, token)
  lost.count++
  const attempt = await openAttemptOf(context, merchant, `lost-${lost.count}`, token)
  const units = BigInt(attempt.remaining) + BigInt(7 * lost.count)
  await context.pay(attempt, end === 'called' ? 'call' : 'transfer', units)
  if (end === 'swept' || end === 'again') {
    const [split, reference] = [attempt.payTo as Wallet, attempt.reference as Hex]
    const data = sweepData({ split, reference, token: address })
    await context.send({ to: context.needs.chain.factory, data })
  }
  if (end === 'again') await context.transfer(address, attempt.depositAddress as Hex, 11n)
  if (end === 'left' || end === 'again') lost.unswept.add(attempt.depositAddress.toLowerCase())
  const key = `${merchant.wallet} ${token}`
  lost.paid.set(key, (lost.paid.get(key) ?? 0n) + units + (end === 'again' ? 11n : 0n))
}

async function openAttemptOf(
  { api }: PaymentContext,
  { key, wallet }: TestMerchant,
  id: string,
  token: PaidToken,
): Promise<AttemptView> {
  const lineItems = [{ label: 'Thing', priceUsd: 10 }]
  await api.call('POST', '/api/receipts', { key, body: { id, lineItems, totalUsd: 10 } })
  const path = `/api/checkout/${id}/attempts?recipient=${wallet}`
  const { status, body } = await api.call('POST', path, { body: { token } })
  expect(status).toBe(201)
  return body
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

/** Runs the program in a process of its own, which gets an endpoint, the words and a key for gas. */
export async function recover(
  { node }: PaymentContext,
  { cwd, words }: { cwd: string; words: string },
  ...args: readonly string[]
) {
  const env = { RPC_URL: node.rpcUrl, RECOVERY_GAS_KEY: node.accounts[3]?.privateKey }
  const child = spawn(process.execPath, [recoverProgram, ...args], { cwd, env })
  child.stdin.end(words)
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, out, error }
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
