import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { Pool } from '../../apps/server/src/platform/database/database.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { startArguments } from '../run/running-service.ts'
import { repositoryRoot } from '../source/list-files.ts'
import { fillReceipts } from './fill-receipts.ts'
import { middle } from './middle.ts'

/** How long a start takes; medians of a few. */
export type Start = {
  readonly what: string
  /** The most that it may take; none for what happens once. */
  readonly markMs: number | undefined
  /** From the first instruction until the service says that it is ready. */
  readonly readyMs: number
  /** Processor time of the service until then, without that of PostgreSQL and of the chain. */
  readonly cpuMs: number
}

const count = 200_000
const yearMs = 365 * 86_400_000
const markMs = 3_000
const limitMs = 180_000
const repeats = 3

/** Starts the service as `npm start` does: with nothing built, again, and after it was killed with many receipts. */
export async function measureStart(): Promise<Start[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-start-'))
  // PostgreSQL may run as another user and has to pass through.
  chmodSync(dataDir, 0o711)
  rmSync(join(repositoryRoot, 'dist'), { recursive: true, force: true })
  const ended: Started[] = []
  const begin = async () => {
    const started = await start(dataDir)
    ended.push(started)
    return started
  }
  try {
    const first = await begin()
    await end(first.child, 'SIGTERM')
    const again: Started[] = []
    for (let i = 0; i < repeats; i++) {
      const each = await begin()
      again.push(each)
      await end(each.child, 'SIGTERM')
    }
    await fill(dataDir, begin)
    const killed: Started[] = []
    for (let i = 0; i < repeats; i++) {
      const each = await begin()
      killed.push(each)
      await end(each.child, i < repeats - 1 ? 'SIGKILL' : 'SIGTERM')
    }
    return [
      describe('the first: nothing is built, no database, no chain', undefined, [first]),
      describe('the second', markMs, again),
      describe(`after kill -9, with ${count.toLocaleString('en')} receipts`, markMs, killed),
    ]
  } finally {
    for (const { child } of ended) await end(child, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A start, and the process that it left. */
type Started = { readonly child: ChildProcess; readonly readyMs: number; readonly cpuMs: number }

function describe(what: string, mark: number | undefined, starts: readonly Started[]): Start {
  const readyMs = middle(starts.map((each) => each.readyMs))
  return { what, markMs: mark, readyMs, cpuMs: middle(starts.map((each) => each.cpuMs)) }
}

/** Many receipts of the demo merchant; then the service is killed. */
async function fill(dataDir: string, begin: () => Promise<Started>): Promise<void> {
  const { child } = await begin()
  const local = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'))
  const merchant = parseWallet(local.merchant.address)
  if (!merchant) throw new Error('local.json names no merchant')
  const db = new Pool({ url: local.databaseUrl, log: makeLog('error') })
  try {
    await fillReceipts(db, {
      merchant,
      chainId: local.chainId,
      count,
      begin: Date.now() - yearMs,
      spanMs: yearMs,
    })
  } finally {
    await db.close()
  }
  await end(child, 'SIGKILL')
}

function start(dataDir: string): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, startArguments(), {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  return new Promise((resolve, reject) => {
    const fail = (how: string) => reject(new Error(`the service ${how}:\n${said.slice(-4_000)}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail('did not become ready')
    }, limitMs)
    child.once('exit', () => fail('ended'))
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk
        if (!said.includes('"msg":"ready"')) return
        clearTimeout(timer)
        resolve({ child, readyMs: performance.now() - began, cpuMs: processorMs(child.pid) })
      })
  })
}

/** Processor time of a process so far; the kernel counts hundredths of a second. */
function processorMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  await ended
}
