import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Hex } from '../chain/chain.ts'
import type { OwnOrder, OwnSender } from '../chain/own-transaction.ts'
import { holdLane } from '../chain/own-transaction-lane.ts'
import type { OwnNeeds } from '../chain/own-transaction-send.ts'
import { listOwnSince } from '../chain/own-transaction-store.ts'
import type { Job } from '../platform/ticker.ts'
import { findDistributionCursor } from '../split/cursor-store.ts'
import {
  beforeFirstDeposit,
  listSweepTargets,
  listUnswept,
  markSwept,
  type UnsweptDeposit,
  type UnsweptPlace,
} from './sweep-deposits-store.ts'

/** Nudge this when money was credited or noticed at a deposit address. */
export const sweepDepositsName = 'sweep-deposits'

const localChainId = 31337
const depositsPerPage = 200

/** Money this many blocks below the books that is at no deposit address and in no sweep was never at one. */
const oldAfterBlocks = 10_000n

const sweepsPerTransaction = 20

/** One call of the factory's sweep. */
export type Sweep = { readonly split: Wallet; readonly reference: Hex; readonly token: Wallet }

/**
 * The job that moves what buyers sent to deposit addresses into the splits.
 *
 * The chain is asked what each address holds before anything is sent, and what is noted as swept is in the
 * books from final blocks: a round after a crash sends nothing for an empty address.
 */
export function sweepDepositsJob(needs: OwnNeeds, keeper: OwnSender, holder: string): Job {
  return {
    name: sweepDepositsName,
    everyMs: needs.chain.id === localChainId ? 1_000 : 10_000,
    async run() {
      let after: UnsweptPlace = beforeFirstDeposit
      for (;;) {
        const deposits = await listUnswept(needs.db, needs.chain.id, after, depositsPerPage)
        if ((await findWaiting(needs, deposits)).length > 0) await sweep(needs, keeper, holder, deposits)
        const last = deposits.at(-1)
        if (deposits.length < depositsPerPage || !last) return 'done'
        after = last
      }
    },
  }
}

async function sweep(
  needs: OwnNeeds,
  keeper: OwnSender,
  holder: string,
  deposits: readonly UnsweptDeposit[],
): Promise<void> {
  await holdLane(needs, keeper, `${holder}:${sweepDepositsName}`, async (lane) => {
    // Again under the lease: who held it before us may have sent what we found waiting.
    const waiting = await findWaiting(needs, deposits)
    for (let at = 0; at < waiting.length; at += sweepsPerTransaction) {
      const batch = waiting.slice(at, at + sweepsPerTransaction)
      const outcome = await lane.send(sweepOrder(needs.chain.factory, batch))
      if (outcome.kind === 'outrun') return
      if (outcome.kind === 'would-revert') needs.log.error({ data: outcome.data }, 'deposits cannot be swept')
    }
  })
}

/** The factory's call that empties many deposit addresses into their splits. */
export function sweepOrder(factory: Wallet, sweeps: readonly Sweep[]): OwnOrder {
  return {
    kind: 'sweep',
    detail: { sweeps: sweeps.map(keyOf) },
    to: factory,
    data: encodeFunctionData({
      abi: splitFactoryAbi,
      functionName: 'sweepMany',
      args: [sweeps.map(({ split, reference: ref, token }) => ({ split, ref, token }))],
    }),
  }
}

/**
 * The sweeps that would move something now and are not on their way. Deposits found empty are noted as swept
 * as far as the books show it.
 */
export async function findWaiting(needs: OwnNeeds, deposits: readonly UnsweptDeposit[]): Promise<Sweep[]> {
  const { db, chain } = needs
  const booked = (await findDistributionCursor(db, chain.id))?.number
  const sent = await listOwnSince(db, chain.id, 'sweep', booked ?? 0n)
  const onTheirWay = new Set(sent.flatMap(({ detail }) => detail.sweeps as string[]))
  const waiting: Sweep[] = []
  for (const deposit of deposits) {
    const { merchant, receiptId, token } = deposit
    const targets = await listSweepTargets(db, merchant, receiptId)
    const sweeps = targets.map((target) => ({ ...target, token }))
    const amounts = await Promise.all(
      sweeps.map((each) => (onTheirWay.has(keyOf(each)) ? 'sent' : readSweepable(needs, each))),
    )
    waiting.push(...sweeps.filter((_, i) => isPositive(amounts[i])))
    if (booked !== undefined && amounts.every((amount) => amount === 0n))
      await markSwept(db, chain.id, deposit, booked - oldAfterBlocks)
  }
  return waiting
}

/** What a sweep would move now, in base units; `refused` where the token would not let it go. */
async function readSweepable(needs: OwnNeeds, { split, reference, token }: Sweep) {
  const args = [split, reference, token] as const
  const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
  const answer = await needs.chain.call(needs.chain.factory, data)
  return answer.ok ? BigInt(answer.data) : 'refused'
}

function isPositive(amount: bigint | string | undefined): boolean {
  return typeof amount === 'bigint' && amount > 0n
}

function keyOf({ split, reference, token }: Sweep): string {
  return `${split}/${reference}/${token}`
}
