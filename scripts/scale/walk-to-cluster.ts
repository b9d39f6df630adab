import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type DebianPostgres,
  startDebianPostgres,
} from '../../apps/server/test/support/database/debian-postgres.ts'
import { inDatabase } from '../../apps/server/test/support/database/shared-postgres.ts'
import { playGuide } from '../guide/play-guide.ts'
import { readBlocks } from '../guide/read-blocks.ts'
import { repositoryRoot } from '../source/list-files.ts'
import { buildCitus } from './build-citus.ts'
import { openWalkService, type WalkService } from './walk-service.ts'
import { WalkTraffic } from './walk-traffic.ts'

const limitMs = 600_000
const names = ['coordinator', 'worker-1', 'worker-2'] as const

/**
 * Goes from one PostgreSQL with receipts in it to a cluster by the commands of docs/operations.md alone, while receipts
 * are created all the time.
 *
 * @returns what went wrong, if anything did.
 */
export async function walkToCluster(source: string | undefined): Promise<string[]> {
  const programs = await buildCitus(source)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walk-'))
  // Its nodes run as another user.
  chmodSync(folder, 0o755)
  const nodes: DebianPostgres[] = []
  let service: WalkService | undefined
  const traffic = new WalkTraffic()
  try {
    for (const name of names) {
      mkdirSync(join(folder, name), { mode: 0o755 })
      nodes.push(await startDebianPostgres(programs, join(folder, name)))
    }
    const [coordinator, ...workers] = nodes as [DebianPostgres, ...DebianPostgres[]]
    const settings = { dataDir: join(folder, 'data'), databaseUrl: coordinator.url }
    service = await openWalkService(settings)
    traffic.begin(service)
    await traffic.until(100)
    for (const node of [...workers, coordinator]) await play(['Preparing the nodes'], node)
    const more = { COORDINATOR: new URL(coordinator.url).host, WORKERS: hostsOf(workers) }
    await play(['Joining the nodes'], coordinator, more)
    await traffic.until(traffic.count + 100)
    await service.stop()
    service = undefined
    await play(['Moving'], coordinator)
    service = await openWalkService(settings)
    traffic.goOn(service)
    await traffic.until(traffic.count + 100)
    await traffic.end()
    return [...(await traffic.findFaults(service)), ...(await findUnspread(coordinator.url))]
  } finally {
    await traffic.end()
    await service?.stop()
    for (const node of nodes) await node.stop(node.dataFolder)
    rmSync(folder, { recursive: true, force: true })
  }
}

const hostsOf = (nodes: readonly DebianPostgres[]) => nodes.map(({ url }) => new URL(url).host).join(' ')

/** Runs the page's blocks below these headings, as an operator at a terminal on a node. */
async function play(
  headings: readonly string[],
  node: DebianPostgres,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const page = readFileSync(join(repositoryRoot, 'docs/operations.md'), 'utf8')
  // They are marked as for another machine, which this one is here.
  const blocks = readBlocks(page)
    .filter(({ heading, language }) => headings.includes(heading) && language === 'sh')
    .map((block) => ({ ...block, marks: new Map<string, string>() }))
  if (blocks.length === 0) throw new Error(`docs/operations.md has no commands below ${headings.join(', ')}`)
  const env = {
    ...process.env,
    PATH: node.path,
    // Where libpq looks for certificates and passwords.
    HOME: dirname(node.dataFolder),
    PGDATA: node.dataFolder,
    NODE_URL: node.url,
    DATABASE_URL: node.url,
    ...more,
  }
  const signal = AbortSignal.timeout(limitMs)
  const fault = await playGuide(blocks, { folder: repositoryRoot, env, signal, report: console.log })
  if (fault) throw new Error(fault)
}

async function findUnspread(url: string): Promise<string[]> {
  try {
    await inDatabase(
      url,
      "SELECT 1 / count(*) FROM pg_dist_partition WHERE logicalrelid = 'receipt'::regclass",
    )
    return []
  } catch {
    return ['the table receipt is not spread']
  }
}
