import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type AbuseName, abuses, type Target } from './abuse/abuse.ts'
import { postgresOf, prepare, stockInShop, type Tenants } from './abuse/prepare.ts'
import { type Seen, watch } from './abuse/watcher.ts'
import { type StartedService, startService } from './run/running-service.ts'
import { repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run abuse [-- --only NAME] [-- --seconds N] [-- --connections N]

Starts a local service and attacks it in one way after another, from a separate process at the lowest priority.
Meanwhile it polls /healthz, reads as a harmless tenant and watches the memory of the service. Prints the results
beside their limits and exits with code 1 if one was exceeded. A machine that is busy with other work exceeds some.

  --only NAME      run only this attack (can be repeated):
${Object.entries(abuses)
  .map(([name, what]) => `                     ${name.padEnd(17)} ${what}`)
  .join('\n')}
  --seconds N      duration of each attack (default: 60)
  --connections N  number of connections of the attacker (default: 2000)
`

/** Limits that must hold during every attack. */
const marks = { healthMs: 250, readFactor: 10, readMs: 500, firstMs: 1_000, memoryMb: 1_000 } as const

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else process.exitCode = (await runAbuse()) ? 0 : 1

async function runAbuse(): Promise<boolean> {
  const names = (values.only ?? Object.keys(abuses)) as AbuseName[]
  const unknown = names.find((name) => !(name in abuses))
  if (unknown) throw new Error(`unknown attack ${unknown}; see --help`)
  const [seconds, connections] = [Number(values.seconds), Number(values.connections)]
  const service = await startService()
  try {
    const tenants = await prepare(service)
    console.log(`quiet, for ${Math.min(20, seconds)} s`)
    const quiet = await watch(service, tenants.quiet.key, Math.min(20, seconds))
    print(quiet, Math.max(marks.readMs, quiet.readP99 * marks.readFactor))
    let isWell = true
    for (const name of names) {
      console.log(`\n${name}: ${abuses[name]}; ${connections} connections, ${seconds} s`)
      const { seen, statuses } = await attack(service, tenants, { name, seconds, connections })
      console.log(`  the attacker was answered ${statuses.trim()}`)
      if (!print(seen, Math.max(marks.readMs, quiet.readP99 * marks.readFactor), name)) isWell = false
      if (name === 'stock' && !(await canStillBuy(service, tenants))) isWell = false
    }
    return isWell
  } finally {
    await service.stop()
  }
}

/** Returns whether at least a tenth of the stock is left after unpaid orders by strangers. */
async function canStillBuy(
  { baseUrl, subscriptionKey }: StartedService,
  { loud }: Tenants,
): Promise<boolean> {
  const headers = { 'ocp-apim-subscription-key': subscriptionKey }
  const response = await fetch(`${baseUrl}/api/inventory/${loud.shop.productId}`, { headers })
  const { item } = (await response.json()) as { item: { stockQty: number } }
  const isKept = item.stockQty >= stockInShop / 10
  console.log(
    `  stock left                     ${item.stockQty} of ${stockInShop}   ${isKept ? 'within' : 'BEYOND'}`,
  )
  return isKept
}

async function attack(
  service: StartedService,
  { quiet, loud }: Tenants,
  how: Pick<Target, 'name' | 'seconds' | 'connections'>,
): Promise<{ seen: Seen; statuses: string }> {
  const target: Target = { ...how, ...loud, baseUrl: service.baseUrl }
  const child = spawn(process.execPath, ['scripts/abuse/attacker.ts', JSON.stringify(target)], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  setPriority(child.pid ?? 0, 19)
  let statuses = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    statuses += chunk
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  // Gives the attacker process time to start. The measurement includes its connection phase.
  await sleep(1_000)
  const frozen = how.name === 'frozen-database' ? postgresOf(service) : []
  try {
    for (const pid of frozen) signal(pid, 'SIGSTOP')
    const seen = await watch(service, quiet.key, Math.max(1, how.seconds - 2))
    for (const pid of frozen) signal(pid, 'SIGCONT')
    await ended
    return { seen, statuses }
  } finally {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    child.kill()
  }
}

/** Signals a process, which may already have exited: PostgreSQL's child processes are short-lived. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Prints the figures next to their limits. Returns whether all are within the limits. */
function print(seen: Seen, readMark: number, name?: AbuseName): boolean {
  const isFrozen = name === 'frozen-database'
  const lines = [
    ['/healthz, slowest at the start', seen.firstMs, marks.firstMs, 'ms'],
    ['/healthz p99 after that', seen.healthP99, marks.healthMs, 'ms'],
    // Without a database every read fails, so this measures the time to the error response.
    ["another tenant's reads p99", seen.readP99, isFrozen ? 5_000 : readMark, 'ms'],
    ['resident memory at most', seen.peakMb, marks.memoryMb, 'MB'],
  ] as const
  let isWell = true
  for (const [what, value, mark, unit] of lines) {
    const isKept = value <= mark
    if (!isKept) isWell = false
    console.log(
      `  ${what.padEnd(30)} ${value.toFixed(1).padStart(9)} ${unit}   ${isKept ? 'within' : 'BEYOND'} ${mark.toFixed(0)}`,
    )
  }
  const refused = Object.entries(seen.refused).map(([status, count]) => `${count} × ${status}`)
  if (refused.length > 0) console.log(`  of ${seen.reads} reads not answered with 200: ${refused.join(', ')}`)
  return isWell && (isFrozen || refused.length === 0)
}
