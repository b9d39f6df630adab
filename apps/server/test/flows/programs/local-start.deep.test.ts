import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { anvilClient } from '../../../src/local/anvil.ts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import { localWallet } from '../../../src/local/local-settings.ts'
import { until } from '../../../src/platform/process/process.ts'
import { findPrograms } from '../../support/kill/parts.ts'
import { spawnLocal } from '../../support/kill/spawn-local.ts'
import { perCase } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

const millionUsdc = 1_000_000_000_000n
const folder = perCase(() => makeTemporaryFolder('local'))
let dataDir: string
beforeEach(() => {
  dataDir = join(folder.path, 'data')
})

const anvils = () => findPrograms(dataDir, 'anvil')
const databases = () => findPrograms(dataDir, 'postgres')
const running = () => [...anvils(), ...databases()]

async function headOf(rpcUrl: string) {
  const { number, hash } = await anvilClient(rpcUrl).getBlock()
  return { number, hash }
}

async function holds(rpcUrl: string, block: { number: bigint; hash: string }): Promise<boolean> {
  const found = await anvilClient(rpcUrl).getBlock({ blockNumber: block.number })
  return found.hash === block.hash
}

async function buyerBalance(rpcUrl: string): Promise<bigint> {
  const masterKey = (await readFile(join(dataDir, 'master.key'), 'utf8')).trim()
  return anvilClient(rpcUrl).readContract({
    address: localContracts().tokens.USDC,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [localWallet(masterKey, 'buyer').address],
  })
}

test('a second start goes on where the first stopped: same addresses, same blocks, same money', async () => {
  const first = spawnLocal(dataDir)
  const { databaseUrl, rpcUrl } = await first.ready
  await anvilClient(rpcUrl).mine({ blocks: 10 })
  const head = await headOf(rpcUrl)
  expect(await buyerBalance(rpcUrl)).toBe(millionUsdc)
  expect(await first.end()).toMatchObject({ code: 0 })
  expect(running()).toEqual([])

  const second = spawnLocal(dataDir)
  const again = await second.ready
  expect(again).toMatchObject({ databaseUrl, rpcUrl })
  expect(await holds(rpcUrl, head)).toBe(true)
  expect(await buyerBalance(rpcUrl)).toBe(millionUsdc)
  const { number } = await headOf(rpcUrl)
  expect(await until(async () => (await headOf(rpcUrl)).number > number, 120_000)).toBe(true)
  expect(await second.end()).toMatchObject({ code: 0 })
})

test('what a killed service leaves behind is taken over: one database, one chain, no block lost', async () => {
  const first = spawnLocal(dataDir)
  const { rpcUrl } = await first.ready
  const before = running()
  await first.end('SIGKILL')
  const head = await headOf(rpcUrl)

  const second = spawnLocal(dataDir)
  await second.ready
  expect(running()).toEqual(before)
  expect(await holds(rpcUrl, head)).toBe(true)
  expect(await second.end()).toMatchObject({ code: 0 })
  expect(running()).toEqual([])
})

test('a service killed again and again while it starts never leaves two of anything', async () => {
  for (const waitMs of [50, 150, 300, 500, 700, 900, 1_100]) {
    const service = spawnLocal(dataDir)
    await Promise.race([service.ready.catch(() => {}), until(() => false, waitMs)])
    await service.end('SIGKILL')
    expect(anvils().length).toBeLessThanOrEqual(1)
    expect(databases().length).toBeLessThanOrEqual(1)
  }
  const last = spawnLocal(dataDir)
  const { rpcUrl } = await last.ready
  expect(await buyerBalance(rpcUrl)).toBe(millionUsdc)
  expect(anvils().length).toBe(1)
  expect(databases().length).toBe(1)
  expect(await last.end()).toMatchObject({ code: 0 })
})

test('a chain that is killed comes back by itself with what was saved', async () => {
  const service = spawnLocal(dataDir)
  const { rpcUrl } = await service.ready
  const [anvil = 0] = anvils()
  process.kill(anvil, 'SIGKILL')
  expect(await until(() => anvils().some((pid) => pid !== anvil), 120_000)).toBe(true)
  const hasMoney = async () => (await buyerBalance(rpcUrl).catch(() => 0n)) > 0n
  expect(await until(hasMoney, 120_000)).toBe(true)
  expect(await service.end()).toMatchObject({ code: 0 })
})

test('a second start on the same directory is refused and does the first no harm', async () => {
  const first = spawnLocal(dataDir)
  const { rpcUrl } = await first.ready
  const second = spawnLocal(dataDir)
  await expect(second.ready).rejects.toThrow(`process ${first.pid}`)
  expect(await buyerBalance(rpcUrl)).toBe(millionUsdc)
  expect(await first.end()).toMatchObject({ code: 0 })
})

test('of two that start at the same moment exactly one gets the directory', async () => {
  await mkdir(dataDir)
  const both = [spawnLocal(dataDir), spawnLocal(dataDir)]
  const results = await Promise.allSettled(both.map(({ ready }) => ready))
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const service of both) await service.end()
})

test('a data directory deleted under a killed service begins anew', async () => {
  const first = spawnLocal(dataDir)
  const { rpcUrl } = await first.ready
  await anvilClient(rpcUrl).mine({ blocks: 50 })
  await first.end('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
  const second = spawnLocal(dataDir)
  const { rpcUrl: fresh } = await second.ready
  expect((await headOf(fresh)).number).toBeLessThan(50n)
  expect(anvils().length).toBe(1)
  expect(await second.end()).toMatchObject({ code: 0 })
})

test('what holds a secret is readable by its owner alone', async () => {
  const service = spawnLocal(dataDir)
  await service.ready
  await service.end()
  for (const name of ['master.key', 'chain/state.json', 'postgres/access.json'])
    expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0)
})
