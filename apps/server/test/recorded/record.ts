import { describeFailure } from '@sluice/protocol/failures.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { version } from '../../src/app/version.ts'
import { changeStatus, type Trigger } from '../../src/receipts/change-status.ts'
import { paidFacts } from '../support/api/merchant-api.ts'
import { Asker } from '../support/api/raw-requests.ts'
import { logIn } from '../support/api/sessions.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { dumpDatabase, listMigrations } from '../support/database/recorded-database.ts'
import { writeRecorded } from '../support/database/recorded-release.ts'
import { line } from '../support/routes/route-sample.ts'
import { samples } from '../support/routes/samples.ts'
import { apiOf, makeTenant, type Tenant } from '../support/service/tenant.ts'
import { makeWholeKeys, startWholeService, type WholeService } from '../support/service/whole-service.ts'
import { seededRandom } from '../support/test-random.ts'
import { askAll, type RecordedQuestion } from './ask-recorded.ts'

const sizeLimit = 1_000_000
const patienceSeconds = 60

/** Generator, not a test: `npm run record` records this release's database and responses. */
test('this release is recorded', { timeout: 120_000 }, async () => {
  const random = seededRandom(`recorded ${version}`)
  const keys = makeWholeKeys(random)
  const service = await startWholeService({ keys, random })
  const asker = new Asker(service.port)
  const tenant = await makeTenant(service, asker)
  const operator = await logIn(apiOf(service, asker), service.operator)
  await useEverything(service, asker, tenant)
  await moveReceipts(service, asker, tenant)
  await payOnChain(service, asker, tenant)
  // Before the recording, sends and deletes everything that is due.
  for (let second = 0; second < 20; second++) await letPass(service, 1_000)
  // The first requests record that each session was used, so that the second ones change nothing.
  await letPass(service, 60_000)
  asker.close()

  const access = { key: tenant.key, owner: tenant.sessions.owner, operator }
  const questions = await listQuestions(service, tenant, access)
  await askAll(service.port, access, questions)
  await letPass(service, 5_000)
  const responses = await askAll(service.port, access, questions)
  await letPass(service, 5_000)
  const about = { version, recordedAt: service.clock.now(), migrations: listMigrations(), keys }
  const database = await dumpDatabase(service.database.url)
  const size = writeRecorded({ access: { ...about, ...access }, database, responses })
  await service.stop()
  console.log(`recorded ${version}: ${responses.length} answers, ${Math.round(size / 1000)} kB`)
  expect(size).toBeLessThan(sizeLimit)
  expect(responses.filter(({ status }) => status !== 200)).toEqual([])
})

/** Calls every write endpoint of the API once with valid input. Deletes nothing. */
async function useEverything(service: WholeService, asker: Asker, tenant: Tenant): Promise<void> {
  const { call } = apiOf(service, asker)
  let count = 0
  for (const [name, sample] of Object.entries(samples)) {
    const [method = '', path = ''] = name.split(' ')
    const isLogin = path.startsWith('/api/auth/') || path.includes('/rotate') || path === '/api/members'
    if (method === 'GET' || method === 'DELETE' || isLogin || sample.comesTo === 'never') continue
    const [as] = sample.as
    const credentials = as === 'key' ? { key: tenant.key } : { session: tenant.sessions.owner }
    const { status, text } = await call(method, sample.target(tenant), {
      ...(as === 'operator' || as === 'nobody' ? {} : credentials),
      body: sample.body?.(tenant, `recorded-${++count}`),
      headers: sample.contentType ? { 'content-type': sample.contentType } : {},
    })
    if (as !== 'operator' && status !== sample.comesTo) throw new Error(`${name}: ${status} ${text}`)
    await letPass(service, 1_000)
  }
}

/** Creates receipts in states that only the chain or a provider can cause. */
async function moveReceipts(service: WholeService, asker: Asker, tenant: Tenant): Promise<void> {
  const verified = { kind: 'payment_verified', paid: paidFacts } as const
  const moves: Readonly<Record<string, readonly Omit<Trigger, 'detail'>[]>> = {
    'recorded-failed': [{ kind: 'failure_verified', failure: describeFailure('PORTAL_PAY_CARD_EXPIRED') }],
    'recorded-ach': [{ kind: 'ach_accepted', paid: paidFacts }],
    'recorded-reconciled': [verified, { kind: 'funds_distributed' }],
  }
  const { call } = apiOf(service, asker)
  const { db, clock, random, log } = service.context
  for (const [id, triggers] of Object.entries(moves)) {
    const body = { id, lineItems: [{ label: 'Tea', priceUsd: 3.5 }], totalUsd: 3.5 }
    await call('POST', '/api/receipts', { key: tenant.key, body })
    for (const trigger of triggers)
      await db.transaction((tx) => {
        const needs = { tx, clock, random, log }
        return changeStatus(needs, tenant.wallet as Wallet, id as ReceiptId, { detail: {}, ...trigger })
      })
  }
}

async function payOnChain(service: WholeService, asker: Asker, tenant: Tenant): Promise<void> {
  const { chain, context } = service
  const [payer] = chain?.accounts ?? []
  const usdc = context.chain.tokens.find(({ symbol }) => symbol === 'USDC')?.address
  if (!chain || !payer || !usdc) throw new Error('a release is recorded with a chain')
  const { call } = apiOf(service, asker)
  const id = 'recorded-on-chain'
  await call('POST', '/api/receipts', { key: tenant.key, body: { id, lineItems: [line], totalUsd: 5 } })
  const path = `/api/checkout/${id}/attempts?recipient=${tenant.wallet}`
  const { body: attempt } = await call('POST', path, { body: { token: 'USDC', payer: payer.address } })
  await chain.fund(payer.address)
  const account = privateKeyToAccount(payer.privateKey)
  const data = transferData(attempt.depositAddress, BigInt(attempt.amount))
  await chain.client.sendTransaction({ account, to: usdc, data })
  await chain.mine(10)
  for (let second = 0; second < patienceSeconds; second++) {
    const { body } = await call('GET', `/api/receipts/${id}`, { key: tenant.key })
    if (body.status === 'paid') return
    await letPass(service, 1_000)
  }
  throw new Error('the payment on the chain was not seen')
}

/**
 * Returns requests to every read endpoint of the API, with each permitted credential, and for each receipt.
 */
async function listQuestions(
  service: WholeService,
  tenant: Tenant,
  access: Parameters<typeof askAll>[1],
): Promise<RecordedQuestion[]> {
  const isAsked = ([name, { comesTo }]: (typeof all)[number]) =>
    name.startsWith('GET ') && comesTo === 200 && !/\/(export|stream|api\/requests|api\/web-app)$/.test(name)
  const all = Object.entries(samples)
  const reads = all.filter(isAsked)
  const [list] = await askAll(service.port, access, [{ as: 'key', target: '/api/receipts?limit=100' }])
  const { receipts } = list?.body as { receipts: { receiptId: string }[] }
  return [
    ...reads.flatMap(([, { as, target }]) => as.map((who) => ({ as: who, target: target(tenant) }))),
    ...receipts.flatMap(({ receiptId }) => [
      { as: 'key' as const, target: `/api/receipts/${receiptId}` },
      { as: 'key' as const, target: `/api/receipts/status?receiptId=${receiptId}` },
      { as: 'nobody' as const, target: `/api/checkout/${receiptId}?recipient=${tenant.wallet}` },
    ]),
  ]
}

/** Advances the clock. Waits until the triggered work has reached the database. */
async function letPass({ clock }: WholeService, ms: number): Promise<void> {
  await clock.advance(ms)
  await new Promise((resolve) => setTimeout(resolve, 50))
}
