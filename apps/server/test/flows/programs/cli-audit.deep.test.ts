import { expect, onTestFinished, test, vi } from 'vitest'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { perFile } from '../../support/per-file.ts'
import { startCli } from '../../support/programs/run-cli.ts'
import { startLocalService } from '../../support/service/local-service.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const service = perFile(startLocalService)

const cli = (args: string) =>
  startCli(args.split(' '), { cwd: service.dataDir, env: { DATA_DIR: service.dataDir } }).ended

test('audit money holds a running service against its chain, and names the transaction of a missing base unit', async () => {
  const id = 'cli-audit'
  expect((await cli(`receipt create --id ${id} --line Tea=3`)).code).toBe(0)
  await service.pay(id)
  const db = new Pool({ url: service.databaseUrl, log: makeLog('silent'), max: 1 })
  onTestFinished(() => db.close())
  const change = (text: string) => db.run({ name: '', text })
  const read = async () => JSON.parse((await cli('audit money --json')).stdout)
  const isFinal = async () => (await read()).lines.some((line: { credited: string }) => line.credited !== '0')
  await expect.poll(isFinal, { timeout: 120_000 }).toBe(true)
  const even = await cli('audit money')
  expect([even.code, even.stdout]).toEqual([0, expect.stringContaining('match to the base unit')])
  expect(even.stderr).toContain('reading the ledger')

  const { block } = await read()
  const credited = `block_number <= ${block} AND state = 'credited'`
  await change(`UPDATE payment SET amount = amount + 1 WHERE ${credited}`)
  const odd = await cli('audit money --json')
  const { ok, differences } = JSON.parse(odd.stdout)
  expect([odd.code, ok]).toEqual([1, false])
  const [{ hash, chain, ledger }] = differences[0].transactions
  expect([hash, BigInt(ledger) - BigInt(chain)]).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/), 1n])
  expect((await cli('audit money')).stdout).toContain(hash)
  await change(`UPDATE payment SET amount = amount - 1 WHERE ${credited}`)
  expect((await cli('audit money --block 999999999')).stderr).toContain('is not final')
  expect((await cli('audit money --block none')).code).toBe(2)
  expect((await cli('audit money --help')).stdout).toContain('--block N')
})
