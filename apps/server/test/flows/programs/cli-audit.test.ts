import type { Wallet } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { startCli } from '../../support/programs/run-cli.ts'
import { transferData } from '../../support/worlds/chain-api.ts'
import { type LocalService, startLocalService } from '../../support/worlds/local-service.ts'

let service: LocalService

beforeAll(async () => {
  service = await startLocalService()
}, 240_000)

afterAll(() => service?.stop())

const cli = (args: string) =>
  startCli(args.split(' '), { cwd: service.dataDir, env: { DATA_DIR: service.dataDir } }).ended

test('audit money holds a running service against its chain, and names the transaction of a missing base unit', async () => {
  const id = 'cli-audit'
  expect((await cli(`receipt create --id ${id} --line Tea=3`)).code).toBe(0)
  const path = `/api/checkout/${id}/attempts?recipient=${service.merchant.address}`
  const headers = { 'content-type': 'application/json' }
  const made = await fetch(service.baseUrl + path, { method: 'POST', headers, body: '{"token":"USDC"}' })
  const { depositAddress, amount } = (await made.json()) as { depositAddress: Wallet; amount: string }
  await service.send({ to: service.tokens.USDC, data: transferData(depositAddress, BigInt(amount)) })
  const db = new Pool({ url: service.databaseUrl, log: makeLog('silent'), max: 1 })
  const change = (text: string) => db.run({ name: '', text })
  const read = async () => JSON.parse((await cli('audit money --json')).stdout)
  try {
    const isFinal = async () =>
      (await read()).lines.some((line: { credited: string }) => line.credited !== '0')
    await expect.poll(isFinal, { timeout: 120_000 }).toBe(true)
    const even = await cli('audit money')
    expect([even.code, even.stdout]).toEqual([0, expect.stringContaining('match to the base unit')])
    expect(even.stderr).toContain('reading the ledger')

    const { block } = await read()
    await change(
      `UPDATE payment SET amount = amount + 1 WHERE block_number <= ${block} AND state = 'credited'`,
    )
    const odd = await cli('audit money --json')
    const { ok, differences } = JSON.parse(odd.stdout)
    expect([odd.code, ok]).toEqual([1, false])
    const [{ hash, chain, books }] = differences[0].transactions
    expect([hash, BigInt(books) - BigInt(chain)]).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/), 1n])
    expect((await cli('audit money')).stdout).toContain(hash)
    await change(
      `UPDATE payment SET amount = amount - 1 WHERE block_number <= ${block} AND state = 'credited'`,
    )
  } finally {
    await db.close()
  }
  expect((await cli('audit money --block 999999999')).stderr).toContain('is not final')
  expect((await cli('audit money --block none')).code).toBe(2)
  expect((await cli('audit money --help')).stdout).toContain('--block N')
}, 240_000)
