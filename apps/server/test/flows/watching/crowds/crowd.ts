import type { UnixMs } from '@sluice/protocol/time.ts'
import type { BlockHeader } from '../../../../src/chain/chain.ts'
import { findTargetsByDeposit, type Target } from '../../../../src/payments/attempts/targets.ts'
import type { Finality } from '../../../../src/payments/cursors/finality.ts'
import { dropBlocksAbove, findCursor, saveBlocks } from '../../../../src/payments/cursors/store.ts'
import type { Finding, UnmatchedLog } from '../../../../src/payments/ledger/match-transfer.ts'
import { isAnythingDue, listDueReceipts } from '../../../../src/payments/settlement/due-store.ts'
import { reverseAbove, saveFindings } from '../../../../src/payments/settlement/finding-store.ts'
import { settleDue } from '../../../../src/payments/settlement/settle-due.ts'
import { cursorNames } from '../../../../src/platform/jobs/names.ts'
import { always } from '../../../support/chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../../../support/chain/payments.ts'
import { countRepeated } from '../../../support/database/repeated-values.ts'
import { type AtStatement, wrapDatabase } from '../../../support/database/wrap-database.ts'

export type Sure = { readonly safe: bigint; readonly final: bigint }

type SettleOptions = {
  /** Highest block that remains after a reorg. Absent if there is no reorg. */
  readonly fork?: bigint
  readonly least?: Finality
  readonly at?: AtStatement
}

/** Context for steps of a watcher with more payments than a test can send. */
export type CrowdContext = PaymentContext & {
  openTarget(id: string, totalUsd?: number): Promise<Target>
  nextBlock(): Promise<bigint>
  find(target: Target, i: number, block: bigint, amount?: bigint): Finding
  /**
   * Settles the findings of a step. `mostAtOnce` is the length of the longest list of values, `repeatedCount`
   * the number of duplicates in lists.
   */
  settle(
    sure: Sure,
    found?: readonly (Finding | UnmatchedLog)[],
    options?: SettleOptions,
  ): Promise<{ statementCount: number; rowCount: number; mostAtOnce: number; repeatedCount: number }>
  due(sure: Sure, limit?: number): Promise<string[]>
  states(target: Target): Promise<{ state: string; count: bigint }[]>
}

const asEver: AtStatement = (_, run) => run()

export async function startCrowd(): Promise<CrowdContext> {
  const context = await startPayments({ policy: always('final') })
  await context.syncClock()
  context.endsUneven('nothing of what is found is on the chain')
  const { needs } = context
  const chain = needs.chain.id
  const settled: BlockHeader[] = []
  const tagsOf = ({ safe, final }: Sure) => ({ latest: safe + 100n, safe, final })
  return {
    ...context,
    async openTarget(id, totalUsd = 20) {
      const { depositAddress } = await context.open(id, totalUsd, 'USDC')
      const [target] = await findTargetsByDeposit(needs.db, chain, [depositAddress])
      if (!target) throw new Error('the attempt is known')
      return target
    },
    async nextBlock() {
      await context.mineAndScan()
      return ((await findCursor(needs.db, chain, cursorNames.transfers))?.number ?? 0n) + 1n
    },
    find: (target, i, number, amount = 1n) => ({
      txHash: `0x${i.toString(16).padStart(64, '0')}`,
      logIndex: i,
      address: '',
      merchant: target.merchant,
      kind: 'transfer',
      source: target.depositAddress,
      tokenAddress: target.tokenAddress,
      amount,
      payer: undefined,
      block: { number, hash: `0x${number.toString(16).padStart(64, 'b')}`, at: needs.clock.now() },
      target,
    }),
    async settle(sure, found = [], { fork, least = 'final', at = asEver } = {}) {
      const policy = always(least)
      const settleContext = { chain, tags: tagsOf(sure), coveredTo: 0 as UnixMs, policy }
      let [statementCount, rowCount, mostAtOnce, repeatedCount] = [0, 0, 0, 0]
      const db = wrapDatabase(needs.db, async (statement, run) => {
        const response = await at(statement, run)
        statementCount += 1
        repeatedCount += countRepeated(statement)
        if (Array.isArray(response)) rowCount += response.length
        for (const value of statement.values ?? [])
          if (Array.isArray(value)) mostAtOnce = Math.max(mostAtOnce, value.length)
        return response
      })
      const findings = found.flatMap((log) => ('reason' in log ? [] : [log]))
      const unmatchedLogs = found.flatMap((log) => ('reason' in log ? [log] : []))
      await db.transaction(async (tx) => {
        if (fork !== undefined) {
          await saveBlocks(tx, chain, settled)
          await reverseAbove(tx, chain, fork)
          await dropBlocksAbove(tx, chain, fork)
        }
        settled.push(...found.map(({ block }) => ({ ...block, parentHash: block.hash })))
        await saveFindings(tx, chain, findings, unmatchedLogs)
      })
      while ((await settleDue({ ...needs, db, policy }, settleContext)).isFull);
      return { statementCount, rowCount, mostAtOnce, repeatedCount }
    },
    async due(sure, limit = 200) {
      const tags = tagsOf(sure)
      const looks = await listDueReceipts(needs.db, chain, tags, needs.random, limit)
      const now = needs.clock.now()
      const isWaiting = await isAnythingDue(needs.db, chain, { tags, coveredTo: 0 as UnixMs, now })
      if (isWaiting !== looks.length > 0) throw new Error('somebody waits for what is not due')
      return looks.map(({ receiptId }) => receiptId)
    },
    states: ({ receiptId }) =>
      context.rows('SELECT state, count(*) FROM payment WHERE receipt_id = $1 GROUP BY 1 ORDER BY 1', [
        receiptId,
      ]),
  }
}
