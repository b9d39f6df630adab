import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { runCli } from '../../../../../packages/cli/src/run-cli.ts'
import { program } from '../../../../cli/src/program.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { findRecoverySeed, type RecoverySeed } from '../../../src/payments/attempts/recovery-seed.ts'
import {
  DepositReferences,
  depositAddress,
  firstNumberOf,
} from '../../../src/payments/attempts/references.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { testMasterKey as masterKey, type TestApi } from '../../support/api/start-api.ts'
import { startBeside } from '../../support/chain/beside.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startPayments)
const twin = perFile(() => startBeside(context))

async function readSeed(secrets = context.needs.secrets): Promise<RecoverySeed> {
  const seed = await findRecoverySeed({ db: context.needs.db, secrets })
  if (!seed) throw new Error('the service has made a seed')
  return seed
}

async function openBy(api: TestApi, ids: readonly string[]): Promise<AttemptView[]> {
  const { key, wallet } = context.merchant
  const opened: AttemptView[] = []
  for (const id of ids) {
    await api.call('POST', '/api/receipts', {
      key,
      body: { id, lineItems: [{ label: 'Thing', priceUsd: 10 }], totalUsd: 10 },
    })
    const path = `/api/checkout/${id}/attempts?recipient=${wallet}`
    opened.push((await api.call('POST', path, { body: { token: 'USDC' } })).body)
  }
  return opened
}

const addressesOf = (attempts: readonly AttemptView[]) => attempts.map((each) => each.depositAddress)

test('who knows the seed finds every deposit address by its split and about when it was handed out', async () => {
  await context.syncClock()
  const attempts = await Promise.all(['a', 'b', 'c'].map((id) => context.open(id, 10, 'USDC')))
  const references = new DepositReferences((await readSeed()).bytes)
  const first = firstNumberOf(context.needs.chain.time.now())
  for (const { payTo, reference, depositAddress: address } of attempts) {
    const split = payTo as Wallet
    const found = Array.from({ length: 10 }, (_, i) => references.at(split, first + BigInt(i)))
    expect(found).toContain(reference)
    expect(depositAddress(context.needs.chain.factory, split, reference as Hex)).toBe(address)
  }
})

test('processes that open attempts in the same second give each its own address', async () => {
  await context.syncClock()
  const ids = Array.from({ length: 5 }, (_, i) => `same-second-${i}`)
  const [own, others] = await Promise.all([
    openBy(context.api, ids),
    openBy(
      twin,
      ids.map((id) => `${id}-twin`),
    ),
  ])
  expect(new Set(addressesOf([...own, ...others])).size).toBe(10)
})

test('after an older copy is restored no address is handed out that the lost time had', async () => {
  await context.syncClock()
  const copy = await copyDatabase(context.database)
  const lost = await openBy(context.api, ['lost-1', 'lost-2', 'lost-3'])
  await context.passTime(2)
  const restored = await startBeside(context, copy)
  try {
    const fresh = await openBy(restored, ['fresh-1', 'fresh-2', 'fresh-3'])
    expect(new Set(addressesOf([...lost, ...fresh])).size).toBe(6)
  } finally {
    await restored.stop()
    await copy.drop()
  }
})

test('a new master key leaves the seed as it is, and needs the former one no more', async () => {
  const { bytes } = await readSeed()
  const next = 'the next master key of the recovery tests'
  expect((await readSeed(new Secrets(next, systemRandom, [masterKey]))).bytes).toEqual(bytes)
  expect((await readSeed(new Secrets(next, systemRandom))).bytes).toEqual(bytes)
  await readSeed(new Secrets(masterKey, systemRandom, [next]))
})

test('the words of the seed are shown until three of them are typed back, and never again', async () => {
  const show = async (response: (place: number, words: readonly string[]) => string | undefined) => {
    const [said, beside]: [string[], string[]] = [[], []]
    const code = await runCli(program, ['recovery', 'show'], {
      env: {
        DATABASE_URL: context.database.url,
        SLUICE_MASTER_KEY: masterKey,
        CHAIN_ID: '31337',
        RPC_URLS: context.node.rpcUrl,
      },
      signal: new AbortController().signal,
      stdout: { write: (text) => said.push(text) },
      stderr: { write: (text) => beside.push(text) },
      readStdin: async () => '',
      ask: async (question) => response(Number(/\d+/.exec(question)?.[0]), wordsOf(said)),
    })
    return { code, words: wordsOf(said), beside: beside.join('') }
  }
  const nobody = await show(() => undefined)
  expect([nobody.code, nobody.words.length]).toEqual([0, 24])
  expect(nobody.beside).toContain('Not confirmed yet')
  const wrong = await show(() => 'guess')
  expect([wrong.code, wrong.words]).toEqual([1, nobody.words])
  const right = await show((place, words) => words[place - 1])
  expect(right).toMatchObject({ code: 0, beside: expect.stringContaining('will not be shown again') })
  const over = await show((place, words) => words[place - 1])
  expect([over.code, over.words]).toEqual([1, []])
  const acts = `SELECT action FROM audit_entry WHERE merchant = 'platform' AND action LIKE 'recovery%' ORDER BY sequence`
  const reported = (await context.rows<{ action: string }>(acts)).map(({ action }) => action.split('.')[1])
  expect(reported).toEqual(['shown', 'shown', 'shown', 'confirmed'])
})

function wordsOf(said: readonly string[]): string[] {
  return [...said.join('').matchAll(/\d+ ([a-z]+)/g)].map(([, word]) => word as string)
}
