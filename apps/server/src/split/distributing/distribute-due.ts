import type { TokenUnits } from '@sluice/protocol/money.ts'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { readDataFee } from '../../chain/chain.ts'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { findPaused } from '../../chain/transactions/find-paused.ts'
import { withNonces } from '../../chain/transactions/nonce-lease.ts'
import type { TransactionNeeds } from '../../chain/transactions/send.ts'
import { listOutgoingSince } from '../../chain/transactions/store.ts'
import type { OutgoingTransaction, TransactionSender } from '../../chain/transactions/transaction.ts'
import { assert } from '../../kernel/assert.ts'
import { memoize } from '../../kernel/turns/memoize.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { ItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { findRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { findSplitVersion } from '../find-split.ts'
import { findDistributionCursor } from '../ledger/cursor-store.ts'
import { type DueDistribution, listDue } from '../ledger/due-store.ts'
import { heldFor, undistributed } from '../ledger/ledger.ts'
import { listLedgersBehind } from '../ledger/ledger-behind-store.ts'
import { findLedger } from '../ledger/store.ts'
import type { Split } from '../split.ts'
import { markNotDeployed } from '../store.ts'
import { distributeOrder, isWorthDistributing, readDueOnChain } from './distribute-call.ts'

const pageSize = 200

/** Transaction size in bytes, with the signature. */
const distributionBytes = 160

export type DistributeNeeds = TransactionNeeds & { readonly rates: RateBook }

export type Keeper = {
  readonly sender: TransactionSender
  readonly holder: string
}

/**
 * Returns the job that distributes the money in splits: immediately on the local chain, otherwise when the
 * amount is worth the gas.
 *
 * The amount is read from the chain right before sending, so a reorg cannot invalidate it. A pending
 * transaction prevents a second distribution of the same split.
 *
 * See docs/contract.md#distribution.
 */
export function distributeSplitsJob(needs: DistributeNeeds, keeper: Keeper): Job {
  return {
    name: jobNames.distributeSplits,
    everyMs: isLocalNetwork(needs.chain.id) ? 2_000 : 30_000,
    async run() {
      const ready: { due: DueDistribution; split: Split }[] = []
      const readFees = memoize(() => readFeesNow(needs))
      let after = { split: '', token: '' }
      for (;;) {
        const page = await listDue(needs.db, needs.chain.id, after, pageSize)
        await walkItems(needs, await leaveOutOnTheirWay(needs, page), {
          job: jobNames.distributeSplits,
          nameOf: (due) => ({
            merchant: due.merchant,
            item: `check of split ${due.split}, token ${due.token}`,
          }),
          async work(due) {
            const split = await findSplitVersion(needs.db, due.merchant, due.version)
            assert(split, 'the split of a due distribution exists')
            if (await isReady(needs, due, split, readFees)) ready.push({ due, split })
          },
        })
        const last = page.at(-1)
        if (page.length < pageSize || !last) break
        after = last
      }
      if (ready.length > 0) await distribute(needs, keeper, ready)
      return 'done'
    },
  }
}

type Fees = { readonly maxFeePerGas: bigint; readonly dataFee: bigint }

async function readFeesNow({ chain }: DistributeNeeds): Promise<Fees> {
  const [{ maxFeePerGas }, dataFee] = await Promise.all([
    chain.readFees(),
    readDataFee(chain, distributionBytes),
  ])
  return { maxFeePerGas, dataFee }
}

async function isReady(
  needs: DistributeNeeds,
  due: DueDistribution,
  split: Split,
  readFees: () => Promise<Fees>,
) {
  return needs.chain.isGasFree || (await isWorthIt(needs, due, split, readFees))
}

async function isWorthIt(
  needs: DistributeNeeds,
  due: DueDistribution,
  split: Split,
  readFees: () => Promise<Fees>,
): Promise<boolean> {
  const token = needs.chain.tokens.find(({ address }) => address === due.token)
  if (!token) return false
  const ledger = await findLedger(needs.db, due)
  const units = undistributed(ledger, split.recipients) as TokenUnits
  const [{ maxFeePerGas, dataFee }, tokenRate, etherRate] = await Promise.all([
    readFees(),
    findRate(needs, token.symbol),
    findRate(needs, nativeSymbolOf(needs.chain)),
  ])
  return isWorthDistributing({
    waitedMs: needs.clock.now() - due.since,
    recipientCount: split.recipients.length,
    failedCount: split.recipients.filter((recipient) => heldFor(ledger, recipient) > 0n).length,
    isNativeToken: due.token === nativeAddress,
    maxFeePerGas,
    dataFee,
    units,
    decimals: token.decimals,
    tokenRate: tokenRate?.usdPerUnit,
    etherRate: etherRate?.usdPerUnit,
  })
}

async function distribute(
  needs: DistributeNeeds,
  keeper: Keeper,
  ready: readonly { due: DueDistribution; split: Split }[],
): Promise<void> {
  await withNonces(needs, keeper.sender, `${keeper.holder}:${jobNames.distributeSplits}`, async (nonces) => {
    // Checked again under the lease, because the previous holder may have sent these distributions.
    const still = new Set(
      await leaveOutOnTheirWay(
        needs,
        ready.map(({ due }) => due),
      ),
    )
    let isNonceTaken = false
    await walkItems(
      needs,
      ready.filter(({ due }) => still.has(due)),
      {
        job: jobNames.distributeSplits,
        nameOf: ({ due }) => ({ merchant: due.merchant, item: `split ${due.split}, token ${due.token}` }),
        async work({ due, split }) {
          if (isNonceTaken) return
          const [hasCode] = await needs.chain.readHasCode([due.split])
          if (!hasCode) return markNotDeployed(needs.db, due.chain, split)
          const ledger = await findLedger(needs.db, due)
          if ((await readDueOnChain(needs.chain, split, due.token, ledger)) === 0n) return
          const outcome = await nonces.send(distributeOrder(due.split, due.token))
          if (outcome.kind === 'would-revert')
            throw new ItemError('would-revert', `the split would reject it: ${outcome.data}`)
          isNonceTaken = outcome.kind === 'outrun'
        },
      },
    )
  })
}

async function leaveOutOnTheirWay(
  needs: DistributeNeeds,
  due: readonly DueDistribution[],
): Promise<DueDistribution[]> {
  if (due.length === 0) return []
  const { db, chain } = needs
  const booked = (await findDistributionCursor(db, chain.id))?.number ?? 0n
  const behind = await listLedgersBehind(db, chain.id)
  const bookedTo = (merchant: Wallet) => behind.get(merchant) ?? booked
  const least = [...behind.values()].reduce((one, other) => (other < one ? other : one), booked)
  const keyOf = ({ detail }: OutgoingTransaction) => `${detail.split}/${detail.token}`
  const sent = Map.groupBy(await listOutgoingSince(db, chain.id, 'distribute', least), keyOf)
  const paused = await findPaused(needs, 'distribute', (own) => [keyOf(own)])
  return due.filter(({ merchant, split, token }) => {
    const key = `${split}/${token}`
    const isBooked = ({ minedBlock }: OutgoingTransaction) =>
      minedBlock !== undefined && minedBlock <= bookedTo(merchant)
    return !paused.has(key) && (sent.get(key) ?? []).every(isBooked)
  })
}
