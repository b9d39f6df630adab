import { type AuditOutcome, auditMoney } from '../../../src/audit/audit-money.ts'
import { describeDifferences } from '../../../src/audit/describe-outcome.ts'
import { ChainUnavailable } from '../../../src/chain/chain-unavailable.ts'
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

/** The chain that is audited: the node itself, whatever stands between it and the service. */
export type AuditedChain = { readonly rpcUrl: string; readonly contracts: LocalContracts }

/** Adds up the chain by itself and holds it against the books of a test. */
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

/** More than a watcher looks over that is quiet: it reads them, and writes down where it stands. */
const blocksThatAreRead = 101

/**
 * {@link auditChain} of an anvil that was loaded from a file: it knows the state of its blocks from then on, and is
 * asked for an earlier one until the readers of the books have come to one of them. They are given a reason to: a quiet
 * watcher stays where it is for half a minute.
 */
export async function auditWhenReadable(db: Database, chain: AuditedChain): Promise<AuditOutcome> {
  let outcome: AuditOutcome | undefined
  let fault: unknown
  const isDone = async () => {
    try {
      outcome = await auditChain(db, chain)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      if (fault === undefined) await anvilClient(chain.rpcUrl).mine({ blocks: blocksThatAreRead })
      fault = error
    }
    return outcome !== undefined
  }
  await until(isDone, 120_000)
  if (!outcome) throw fault
  return outcome
}

/**
 * What a set-up does before it stops: every base unit on its chain has to stand in exactly one receipt or case.
 *
 * A test that ends with a difference says so, and why, by `endsUneven`; one that says so and ends even fails too.
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
