import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unpackNumbers } from '../../../../cli/recover.ts'
import { findRecoverySeed } from '../../../src/payments/attempts/recovery-seed.ts'
import { makeKit } from '../../../src/payments/recovery/make-kit.ts'
import { makeWriteKitJob } from '../../../src/payments/recovery/write-kit.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import { addDeployedSplit } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import {
  addressOf,
  expectPaidOut,
  exportKit,
  gasAccountOf,
  listSplits,
  nothingLost,
  paidTokens,
  payAndEnd,
  type RpcCall,
  readWords,
  recover,
  recoverKilled,
  startEndpoint,
  startLosable,
} from './lost-service.ts'

const context = perFile(startLosable)
const folder = perFile(() => makeTemporaryFolder('recover'))
const inFolder = (name: string) => join(folder.path, name)
const read = (name: string) => JSON.parse(readFileSync(inFolder(name), 'utf8'))
/** The last line about the payments of the first test: three of each four went to a deposit address. */
const found = `${8 * 3 + 2} deposit addresses received money`
const run = async (...args: readonly string[]) =>
  recover(context, { cwd: folder.path, words: await readWords(context) }, ...args)

test('words, kit and an endpoint pay every recipient of every deposit, exact to the base unit', async () => {
  const other = await context.api.addMerchant()
  await addDeployedSplit(context.api, other.wallet)
  const merchants = [context.merchant, other]
  const lost = nothingLost()
  const startedAt = new Date(Date.now() - 10_000).toISOString()
  for (const merchant of merchants)
    for (const token of paidTokens)
      for (const end of ['called', 'swept', 'left', 'again'] as const)
        await payAndEnd(context, lost, { merchant, token, end })
  await exportKit(context, inFolder('kit.json'))
  for (const merchant of merchants) await payAndEnd(context, lost, { merchant, token: 'USDC', end: 'left' })

  // Payments of this test follow each other faster than those of buyers.
  const period = ['--from', startedAt, '--per-second', '32']
  const coins = paidTokens.filter((token) => token !== 'ETH')
  const tokens = coins.flatMap((token) => ['--token', addressOf(context, token)])
  const search = [...period, ...tokens, '--factory', context.needs.chain.factory, '--state', 'searched.json']
  expect(await run(...search)).toMatchObject({ code: 0, error: '' })
  const deposits = Object.entries<{ left: Record<string, string> }>(read('searched.json').deposits)
  const holding = deposits.filter(([, { left }]) => Object.values(left).some((amount) => amount !== '0'))
  expect(new Set(holding.map(([address]) => address))).toEqual(lost.unswept)

  const payOut = [...period, '--kit', 'kit.json', '--pay-out']
  const first = await run(...payOut, '--max-requests', '12')
  expect(first).toMatchObject({ code: 3, error: expect.stringContaining('Run the same command again') })
  expect(await run(...payOut)).toMatchObject({ code: 0, error: '' })
  await expectPaidOut(context, lost, await listSplits(context, merchants))
  const again = await run(...payOut)
  expect(again).toMatchObject({ code: 0, error: '' })
  expect(again.out).toContain(found)
  expect(again.out).not.toContain('paid ')
})

test('kit and progress contain neither the seed nor, in the kit, a deposit address', async () => {
  const seed = await findRecoverySeed(context.needs)
  const kit = readFileSync(inFolder('kit.json'), 'utf8')
  const state = readFileSync(inFolder('recover-state.json'), 'utf8')
  const hex = Buffer.from(seed?.bytes ?? []).toString('hex')
  for (const text of [kit, state]) expect(text).not.toContain(hex)
  for (const address of Object.keys(JSON.parse(state).deposits))
    expect(kit.toLowerCase()).not.toContain(address.slice(2))
})

test('wrong inputs are named before anything is read', async () => {
  const kit = { ...read('kit.json'), chainId: 8453 }
  writeFileSync(inFolder('other.json'), JSON.stringify(kit))
  const wrong = await run('--kit', 'other.json', '--state', 'other-state.json')
  expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('the kit is of chain 8453') })
  const noFactory = await run('--factory', addressOf(context, 'USDC'), '--from', '2026-01-01')
  expect(noFactory).toMatchObject({ code: 2, error: expect.stringContaining('is not a factory') })
  const otherInputs = await run('--kit', 'kit.json')
  expect(otherInputs).toMatchObject({ code: 2, error: expect.stringContaining('other inputs') })
})

test('an endpoint with small limits is read in smaller parts, and what it refuses is named', async () => {
  const limited = await startLimited(({ method, params: [first] = [] }) => {
    if (method === 'eth_getLogs') return Number(first.toBlock) - Number(first.fromBlock) > 20
    return method === 'eth_call' && first.data.length > 60_000
  })
  const noLogs = await startLimited(({ method }) => method === 'eth_getLogs')
  try {
    const to = ['--kit', 'kit.json', '--to', read('kit.json').writtenAt, '--per-second', '1']
    const small = await run(...to, '--rpc', limited.url, '--state', 'small.json')
    expect(small).toMatchObject({ code: 0, error: '' })
    expect(small.out).toContain(found)
    const none = await run(...to, '--rpc', noLogs.url, '--state', 'none.json')
    expect(none).toMatchObject({ code: 1, error: '' })
    expect(none.out).toMatch(/Could not read 0 addresses, [1-9]\d* ranges of blocks/)
    const later = await run(...to, '--state', 'none.json')
    expect(later).toMatchObject({ code: 0, error: '', out: expect.stringContaining(found) })
  } finally {
    await Promise.all([limited.stop(), noLogs.stop()])
  }
})

const startLimited = (refuses: (call: RpcCall) => boolean) =>
  startEndpoint(context, async (call, pass) => {
    const error = { code: -32602, message: 'too much' }
    return refuses(call) ? JSON.stringify({ jsonrpc: '2.0', id: call.id, error }) : pass()
  })

test('the kit has the number of every attempt, or says that it omits the oldest', async () => {
  const kit = await makeKit(context.needs)
  const packed = kit.splits.flatMap(({ attempts }) =>
    attempts.flatMap(({ numbers }) => unpackNumbers(numbers)),
  )
  const rows = await context.rows<{ number: bigint }>('SELECT number FROM attempt ORDER BY number')
  expect(packed.sort()).toEqual(rows.map(({ number }) => number))
  expect([kit.isComplete, kit.splits.length]).toEqual([true, 2])

  await context.needs.db.run({ name: '', text: 'UPDATE attempt SET number = NULL' })
  const { splits } = await makeKit(context.needs)
  const references = splits.flatMap(({ attempts }) => attempts.flatMap((each) => each.references))
  expect(references).toHaveLength(rows.length)
  const limited = await makeKit(context.needs, { attemptsPerMerchant: 3, attempts: 5 })
  expect(limited.isComplete).toBe(false)
  expect(limited.splits.flatMap(({ attempts }) => attempts.flatMap((each) => each.references))).toHaveLength(
    5,
  )
})

test('a split without a contract is created, and references that no number has are paid out', async () => {
  const merchant = await context.api.addMerchant()
  const { split } = await configureSplit(
    { ...context.needs, platform: context.platform },
    merchant.wallet,
    {},
  )
  await markDeployed(context.needs.db, 31337, split, { at: context.clock.now(), tx: undefined })
  const lost = nothingLost()
  await payAndEnd(context, lost, { merchant, token: 'cbBTC', end: 'left' })
  await context.needs.db.run({ name: '', text: 'UPDATE attempt SET number = NULL' })
  await exportKit(context, inFolder('references.json'))
  const kit = [
    '--kit',
    'references.json',
    '--per-second',
    '1',
    '--state',
    'references-state.json',
    '--pay-out',
  ]
  expect(await run(...kit)).toMatchObject({ code: 0, error: '' })
  const left = await context.balanceOf(addressOf(context, 'cbBTC'), merchant.wallet)
  const paid = lost.paid.get(`${merchant.wallet} cbBTC`) ?? 0n
  expect(left).toBe((paid * 9_950n) / 10_000n)
})

test('a run that is killed while its transaction is pending waits for it, and sends it once', async () => {
  const merchant = await context.api.addMerchant()
  await addDeployedSplit(context.api, merchant.wallet)
  const lost = nothingLost()
  await payAndEnd(context, lost, { merchant, token: 'USDT', end: 'left' })
  await exportKit(context, inFolder('pending.json'))
  const { client } = context.node
  const { address } = gasAccountOf(context.node)
  const sentBefore = await client.getTransactionCount({ address })
  await client.setAutomine(false)
  const args = ['--kit', 'pending.json', '--state', 'pending-state.json', '--per-second', '1', '--pay-out']
  const options = { cwd: folder.path, words: await readWords(context) }
  expect(await recoverKilled(context, options, { count: 1, isSent: true }, ...args)).toMatchObject({
    code: null,
  })

  const endpoint = await startEndpoint(context, async ({ method }, pass) => {
    if (method === 'eth_getTransactionReceipt') await context.mine()
    return pass()
  })
  try {
    expect(await run(...args, '--rpc', endpoint.url)).toMatchObject({ code: 0, error: '' })
  } finally {
    await endpoint.stop()
    await client.setAutomine(true)
  }
  // One sweep and one distribution.
  expect(await client.getTransactionCount({ address })).toBe(sentBefore + 2)
  const left = await context.balanceOf(addressOf(context, 'USDT'), merchant.wallet)
  const paid = lost.paid.get(`${merchant.wallet} USDT`) ?? 0n
  expect(left).toBe((paid * 9_950n) / 10_000n)
})

test('the service writes the kit every hour', async () => {
  const job = makeWriteKitJob(context.needs, folder.path)
  const round = () => job.run(new AbortController().signal)
  const setAge = (ms: number) => {
    const at = (context.clock.now() - ms) / 1_000
    utimesSync(inFolder('recovery-kit.json'), at, at)
  }
  expect(existsSync(inFolder('recovery-kit.json'))).toBe(false)
  expect(await round()).toBe('done')
  const { writtenAt } = read('recovery-kit.json')
  setAge(60_000)
  expect(await round()).toEqual({ wakeInMs: 3_600_000 - 60_000 })
  setAge(3_600_000)
  await context.clock.advance(1_000)
  expect(await round()).toBe('done')
  expect(read('recovery-kit.json').writtenAt).not.toBe(writtenAt)
})
