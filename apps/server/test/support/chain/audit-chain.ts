import { type AuditOutcome, auditMoney, describeDifferences } from '../../../src/audit/audit-money.ts'
import { ChainUnavailable } from '../../../src/chain/chain-time.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { anvilClient } from '../../../src/local/anvil.ts'
import type { LocalContracts } from '../../../src/local/deploy-contracts.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { until } from '../../../src/platform/process/process.ts'

export type AuditedChain = { readonly rpcUrl: string; readonly contracts: LocalContracts }

export async function auditChain(
  db: Database,
  { rpcUrl, contracts }: AuditedChain,
  between: (real: Outbound) => Outbound = (real) => real,
): Promise<AuditOutcome> {
  const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true })
  try {
    const needs = { outbound: between(outbound), clock: systemClock, log: makeLog('silent') }
    const chain = connectChain(needs, describeNetwork(31337, contracts), [rpcUrl])
    return await auditMoney({ db, chain })
  } finally {
    await outbound.close()
  }
}

/** Enough blocks for an idle watcher to scan them and store its position. */
const blocksThatAreRead = 101

/**
 * Audits like {@link auditChain}, but first waits until the ledger reaches a block whose state the node has.
 * Mines blocks to speed this up.
 */
export async function auditWhenReadable(db: Database, chain: AuditedChain): Promise<AuditOutcome> {
  let outcome: AuditOutcome | undefined
  let lastError: unknown
  const isDone = async () => {
    try {
      outcome = await auditChain(db, chain)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      if (lastError === undefined) await anvilClient(chain.rpcUrl).mine({ blocks: blocksThatAreRead })
      lastError = error
    }
    return outcome !== undefined
  }
  await until(isDone, 120_000)
  if (!outcome) throw lastError
  return outcome
}

/**
 * Returns the final check of a set-up: chain and ledger must be equal, unless the test called `endsUneven`.
 * Then they must differ.
 */
export function makeLastAudit(db: Database, chain: AuditedChain) {
  let why: string | undefined
  return {
    endsUneven(reason: string): void {
      why = reason
    },
    async run(): Promise<void> {
      const { differences } = await auditWhenReadable(db, chain)
      const lines = describeDifferences(differences)
      if (why === undefined && lines.length > 0)
        throw new Error(`Chain and books differ at the end of the test:\n${lines.join('\n')}`)
      if (why !== undefined && lines.length === 0)
        throw new Error(`Chain and books do not differ, although the test says: ${why}`)
    },
  }
}
