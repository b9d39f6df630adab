import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartedService } from '../run/running-service.ts'
import { repositoryRoot } from '../source/list-files.ts'

/** Two tenants: one who reads his few receipts, and one who attacks with what he has. */
export type Tenants = {
  readonly quiet: { readonly key: string }
  readonly loud: { readonly key: string; readonly wallet: string; readonly receiptIds: readonly string[] }
}

/** Below a tenant's own limit of 100 writes a minute. */
const longReceipts = 90

/** Makes the tenants and their receipts: ordinary ones, and as many of 500 lines as a minute allows. */
export async function prepare(service: StartedService): Promise<Tenants> {
  const [quiet, loud] = [addMerchant(service), addMerchant(service)]
  const post = async (key: string, body: object) => {
    const answer = await fetch(`${service.baseUrl}/api/receipts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': key },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`a receipt was not made: ${await answer.text()}`)
  }
  const line = (i: number) => ({ label: `${i} ${'x'.repeat(190)}`, priceUsd: 1 })
  for (let i = 0; i < 20; i++) await post(quiet.key, { id: `quiet-${i}`, lineItems: [line(i)], totalUsd: 1 })
  const receiptIds: string[] = []
  for (let i = 0; i < longReceipts; i++) {
    const id = `long-${i}`
    await post(loud.key, { id, lineItems: Array.from({ length: 500 }, (_, j) => line(j)), totalUsd: 500 })
    receiptIds.push(id)
  }
  return { quiet, loud: { ...loud, receiptIds } }
}

function addMerchant({ dataDir }: StartedService): { key: string; wallet: string } {
  const wallet = `0x${randomBytes(20).toString('hex')}`
  const cli = [
    'apps/cli/src/main.ts',
    'merchant',
    'create',
    wallet,
    '--name',
    'Abuse',
    '--data',
    dataDir,
    '--json',
  ]
  const made = JSON.parse(
    execFileSync(process.execPath, cli, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  return { wallet, key: made.subscription.primaryKey }
}

/** The process of the service's own PostgreSQL and all that it started. */
export function postgresOf({ dataDir }: StartedService): number[] {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const main = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  const isChild = (pid: number) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === main
    } catch {
      return false
    }
  }
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return [main, ...pids.filter(isChild)]
}
