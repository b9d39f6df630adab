import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { type Block, readPage } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { checkDatabase } from '../../../cli/src/doctor/check-database.ts'
import { evaluateReadiness } from '../../src/app/probes/readiness.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { findNewestMigrationFile } from '../../src/platform/database/opening/migrate.ts'
import { findCurrentSplit } from '../../src/split/find-split.ts'
import { wellParts } from '../api/service/probed-service.ts'
import { exportKit, readWords } from '../flows/payments/lost-service.ts'
import {
  driveToReconciled,
  expectRecovered,
  type LostTime,
  openAgain,
  sellBeforeLoss,
  sellInLostTime,
} from '../flows/payments/lost-time.ts'
import { listUnmatched, look, withRestored } from '../flows/payments/restored-copy.ts'
import type { TestApi } from '../support/api/start-api.ts'
import { auditChain } from '../support/chain/audit-chain.ts'
import { startBeside } from '../support/chain/beside.ts'
import { addDeployedSplit, type PaymentContext, startPayments } from '../support/chain/payments.ts'
import {
  type DebianCluster,
  openDebianDatabase,
  startDebianCluster,
  startDebianStandby,
  whyNoDebianCluster,
} from '../support/database/debian-postgres.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { TestClock } from '../support/test-clock.ts'

// Each test starts a PostgreSQL with its own files, and a busy machine needs minutes for them.
vi.setConfig({ testTimeout: 300_000 })

type Machine = { readonly folder: string; readonly backups: string; readonly cluster: DebianCluster }

async function startMachine(): Promise<Machine> {
  const { path, remove } = await makeTemporaryFolder('backup', { isSearched: false })
  onTestFinished(remove)
  const cluster = await startDebianCluster(path)
  onTestFinished(() => cluster.stop())
  return { folder: path, backups: join(path, 'backup'), cluster }
}

/** Runs the guide's code blocks under a heading, as root on the machine. */
async function play(
  { folder, backups, cluster }: Machine,
  heading: string,
  {
    more = {},
    isPlayed = () => true,
  }: { more?: NodeJS.ProcessEnv; isPlayed?: (block: Block) => boolean } = {},
) {
  const chosen = readPage('docs/backup.md').filter((block) => block.heading === heading && isPlayed(block))
  await playBlocks(chosen, folder, { ...cluster.env, BACKUP_DIR: backups, ...more })
}

async function playBlocks(blocks: readonly Block[], folder: string, env: NodeJS.ProcessEnv) {
  expect(blocks.some(({ language }) => language === 'sh')).toBe(true)
  const signal = AbortSignal.timeout(200_000)
  const options = { folder, env: { PATH: process.env.PATH, ...env }, signal, report: () => {} }
  expect(await playGuide(blocks, options)).toBeUndefined()
}

/**
 * Sells before and after the moment to which `restore` sets the database back. Expects that the service which
 * starts on that database recovers all money.
 *
 * @param restore - Returns the URL of the restored database.
 */
async function loseTime(
  { cluster }: Machine,
  { keep, restore }: { keep(): Promise<unknown>; restore(): Promise<string> },
  after: (restored: TestApi) => Promise<void> = async () => {},
): Promise<void> {
  const database = await openDebianDatabase(cluster.url)
  const clock = new TestClock(Date.now())
  const context = await startPayments({ beside: { database, clock } })
  onTestFinished(() => context.stop())
  let lost: LostTime
  try {
    const before = await sellBeforeLoss(context)
    await keep()
    lost = await sellInLostTime(context, before)
  } finally {
    await context.stopService()
    await database.drop()
  }
  const restored = await openDebianDatabase(await restore())
  await withRestored(context, restored, async (api) => {
    await expectRecovered(context, api, lost)
    await after(api)
  })
}

async function readArchive({ needs }: TestApi) {
  const factory = async () => ({ kind: 'stands' }) as const
  const newestMigration = await findNewestMigrationFile()
  return (await evaluateReadiness({ ...wellParts, ...needs, newestMigration, factory })).checks
    .databaseArchive
}

async function findArchive({ url }: DebianCluster) {
  return (await checkDatabase(url, { isProduction: true })).find(({ name }) => name === 'archive')
}

async function waitUntil({ ask }: DebianCluster, condition: string): Promise<void> {
  await expect.poll(() => ask(condition), { timeout: 30_000 }).toBe('t')
}

const whyNot = whyNoDebianCluster()
const skipped = whyNot ? ` (skipped: it ${whyNot})` : ''

test.skipIf(whyNot)(
  `by the guide a database comes back as it was at a moment, and all money paid since then is found${skipped}`,
  async () => {
    const machine = await startMachine()
    const { cluster, backups } = machine
    await play(machine, 'Archive every change (point-in-time recovery)')
    const archived = readdirSync(join(backups, 'wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))
    expect(archived).not.toEqual([])
    const base = readdirSync(backups).find((name) => /^base-\w+$/.test(name)) as string
    let restoreTo = ''
    const restore = async () => {
      await play(machine, 'Restore', { more: { BASE: join(backups, base), RESTORE_TO: restoreTo } })
      return cluster.url
    }
    const keep = async () => {
      restoreTo = await cluster.ask('SELECT clock_timestamp()')
    }
    await loseTime(machine, { keep, restore }, async (restored) => {
      expect(await readArchive(restored)).toBeUndefined()
      const text = expect.stringMatching(/ 0000000\d/)
      expect(await findArchive(cluster)).toMatchObject({ result: 'ok', text })
      await cluster.ask(`ALTER SYSTEM SET archive_command = 'false'`)
      await cluster.ask('SELECT pg_reload_conf()')
      await cluster.ask('SELECT pg_switch_wal()')
      const failed = 'SELECT last_failed_time > last_archived_time FROM pg_stat_archiver'
      await waitUntil(cluster, failed)
      expect(await readArchive(restored)).toEqual({ ok: false, because: 'fails' })
      expect(await findArchive(cluster)).toMatchObject({ result: 'fail' })
      await cluster.ask(`ALTER SYSTEM SET archive_command = ''`)
      await cluster.ask('SELECT pg_reload_conf()')
      await waitUntil(cluster, `SELECT current_setting('archive_command') = ''`)
      expect(await readArchive(restored)).toEqual({ ok: false, because: 'no_command' })
    })
  },
)

test.skipIf(whyNot)(
  `by the guide a dump becomes the database, and all money paid since then is found${skipped}`,
  async () => {
    const machine = await startMachine()
    await play(machine, 'Archive every change (point-in-time recovery)', {
      isPlayed: ({ text }) => text.startsWith('install'),
    })
    const copy = (isPlayed: (block: Block) => boolean) => play(machine, 'Copy the database', { isPlayed })
    await loseTime(machine, {
      keep: () => copy(({ text }) => text.includes('pg_dump')),
      async restore() {
        await copy(({ text }) => !text.includes('pg_dump'))
        await machine.cluster.ask('DROP DATABASE sluice')
        return machine.cluster.url.replace(/sluice$/, 'sluice_copy')
      },
    })
  },
)

/** Breaks the connection of a standby that has received every change until now. */
async function cutOff(standby: DebianCluster, primary: DebianCluster): Promise<void> {
  const written = await primary.ask('SELECT pg_current_wal_lsn()')
  await waitUntil(standby, `SELECT pg_last_wal_replay_lsn() >= '${written}'`)
  await standby.ask(`ALTER SYSTEM SET primary_conninfo = ''`)
  await standby.ask('SELECT pg_reload_conf()')
  await waitUntil(primary, 'SELECT count(*) = 0 FROM pg_stat_replication')
}

test.skipIf(whyNot)(
  `by the guide a standby without the last changes takes over under a running service, and all money is found${skipped}`,
  async () => {
    const machine = await startMachine()
    const { cluster, folder } = machine
    const standby = await startDebianStandby(folder, cluster)
    onTestFinished(() => standby.stop())
    const database = await openDebianDatabase(cluster.url)
    let current: Database = database.pool
    const context = await startPayments({
      beside: { database, clock: new TestClock(Date.now()) },
      between: () => ({
        rows: (...args) => current.rows(...args),
        row: (...args) => current.row(...args),
        run: (...args) => current.run(...args),
        transaction: (work) => current.transaction(work),
      }),
    })
    onTestFinished(() => context.stop())
    try {
      const before = await sellBeforeLoss(context)
      const { timestamp } = await context.chain.client.getBlock()
      await context.passTime(Math.max(1, Math.ceil(Date.now() / 1_000) - Number(timestamp)))
      await look(context.api)
      await cutOff(standby, cluster)
      const lost = await sellInLostTime(context, before)
      await look(context.api)
      await cluster.stop()
      await play({ ...machine, cluster: standby }, 'Fail over to a standby')
      const promoted = await openDebianDatabase(standby.url)
      current = promoted.pool
      onTestFinished(() => promoted.drop())
      await context.passTime(2)
      await expectRecovered(context, { ...context.api, database: promoted }, lost)
    } finally {
      await context.stopService()
      await database.drop()
    }
  },
)

test('by the guide words and kit pay out what a lost database knew, and an empty one goes on', async () => {
  const { path, remove } = await makeTemporaryFolder('recover', { isSearched: false })
  onTestFinished(remove)
  const context = await startPayments({ blockTime: 0 })
  onTestFinished(() => context.stop())
  const [usdc, wallet] = [context.tokenAddress('USDC'), context.merchant.wallet]
  const split = await findCurrentSplit(context.needs.db, wallet)
  const paidOut = async () => {
    const owners = [wallet, context.platform.recipient, split?.address ?? '']
    const [merchant = 0n, platform = 0n, left = 0n] = await Promise.all(
      owners.map((owner) => context.balanceOf(usdc, owner)),
    )
    // The split keeps one unit of a token of which nothing would remain.
    expect(left).toBe(1n)
    return merchant + platform + left
  }
  const left = await context.open('left', 20, 'USDC')
  const late = await context.open('late', 10, 'USDC')
  await context.pay(left, 'transfer')
  await exportKit(context, join(path, 'recovery-kit.json'))
  await context.passTime(2)
  const afterKit = await context.open('after-kit', 30, 'USDC')
  await context.pay(afterKit, 'transfer')
  await context.passTime(2)
  const payOut = await prepareRecovery(context, path)
  await context.stopService()
  await payOut()
  expect(await paidOut()).toBe(50_000_000n)

  const empty = await makeTestDatabase()
  onTestFinished(() => empty.drop())
  const fresh = await startBeside(context, empty)
  onTestFinished(() => fresh.stop())
  const merchant = await fresh.addMerchant({ account: context.merchant })
  await addDeployedSplit({ ...context, needs: fresh.needs }, wallet)
  expect((await findCurrentSplit(fresh.needs.db, wallet))?.address).toBe(split?.address)
  await look(fresh)
  const own = await openAgain(fresh, merchant, 'by-token')
  const addresses = [left, late, afterKit, own].map(({ depositAddress }) => depositAddress)
  expect(new Set(addresses).size).toBe(4)
  await context.pay(late, 'transfer')
  await look(fresh)
  const { body } = await fresh.call('GET', '/api/receipts/by-token', { key: merchant.key })
  expect(body.status).toBe('pending')
  await context.pay(own, 'transfer')
  await driveToReconciled(context, fresh, 'by-token', merchant.key)

  rmSync(join(path, 'recover-state.json'))
  await payOut()
  expect(await paidOut()).toBe(70_000_000n)
  await context.passTime(1)
  await look(fresh)
  const cases = (await listUnmatched(context, fresh)).map(({ reason, amountRaw }) => `${reason} ${amountRaw}`)
  const expected = [left, late, afterKit].map(({ remaining }) => `unknown-deposit ${remaining}`)
  expect(cases.sort()).toEqual(expected.sort())
  expect((await auditChain(empty.pool, context.node)).differences).toEqual([])
})

/** Writes what is left after the loss, and returns the guide's commands on these files. */
async function prepareRecovery(context: PaymentContext, path: string) {
  writeFileSync(join(path, 'words.txt'), await readWords(context))
  const [, , , gas] = context.node.accounts
  writeFileSync(join(path, 'gas.key'), gas?.privateKey ?? '')
  const recover = `node '${join(repositoryRoot, 'apps/cli/recover.ts')}'`
  writeFileSync(join(path, 'package.json'), JSON.stringify({ scripts: { recover } }))
  const lostAt = new Date(context.clock.now()).toISOString()
  const blocks = readPage('docs/backup.md')
    .filter(({ heading }) => heading === 'Pay out without the database')
    .map(({ text, ...block }) => {
      const here = text.replace('https://base.example.com/v1', context.node.rpcUrl)
      return { ...block, text: here.replaceAll('2026-11-23T00:00:00Z', lostAt) }
    })
  return () => playBlocks(blocks, path, { HOME: path })
}
