import { type AuditOutcome, auditMoney } from '../../../src/audit/audit-money.ts'
import { describeDifferences } from '../../../src/audit/describe-outcome.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { LocalContracts } from '../../../src/local/deploy-contracts.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

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
      const { differences } = await auditChain(db, chain)
      const lines = describeDifferences(differences)
      if (why === undefined && lines.length > 0)
        throw new Error(`Chain and books differ at the end of the test:\n${lines.join('\n')}`)
      if (why !== undefined && lines.length === 0)
        throw new Error(`Chain and books do not differ, although the test says: ${why}`)
    },
  }
}
