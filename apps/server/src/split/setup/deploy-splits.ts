import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { encodeFunctionData } from 'viem'
import { findPaused } from '../../chain/transactions/find-paused.ts'
import { withNonces } from '../../chain/transactions/nonce-lease.ts'
import type { TransactionNeeds } from '../../chain/transactions/send.ts'
import { listOutgoingSince } from '../../chain/transactions/store.ts'
import type {
  OutgoingTransaction,
  TransactionOrder,
  TransactionSender,
} from '../../chain/transactions/transaction.ts'
import { assert } from '../../kernel/assert.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { ItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { findSplitVersion } from '../find-split.ts'
import type { Split } from '../split.ts'
import { listUndeployed, markDeployed, markNotDeployed, postponeLook, type SplitOwner } from '../store.ts'

const batchSize = 50
const lateBlocks = 1_000n
const shortestPauseMs = 2_000
const longestPauseMs = 3_600_000
const withoutFactoryPauseMs = 60_000

/** Higher than any block number, so that only pending transactions are listed. */
const nothingMined = 2n ** 62n

/**
 * Returns the job that deploys splits, and records deployed ones.
 *
 * Only on-chain code counts as a deployment, so a round after a crash never deploys a split twice.
 *
 * @param deployer - Pays the gas. Without it, the job waits for merchants' wallets, with growing pauses.
 */
export function deploySplitsJob(
  needs: TransactionNeeds,
  deployer: TransactionSender | undefined,
  holder: string,
): Job {
  let after = ''
  return {
    name: jobNames.deploySplits,
    everyMs: 2_000,
    async run() {
      const now = needs.clock.now()
      const owners = await listUndeployed(needs.db, needs.chain.id, now, after, batchSize)
      after = owners.length < batchSize ? '' : (owners.at(-1)?.address ?? '')
      const missing = await sendLater(needs, deployer !== undefined, await recordDeployed(needs, owners))
      if (deployer && missing.length > 0) await sendDeployments(needs, deployer, holder, missing)
      return after ? 'again' : 'done'
    },
  }
}

async function sendDeployments(
  needs: TransactionNeeds,
  deployer: TransactionSender,
  holder: string,
  missing: readonly Split[],
): Promise<void> {
  await withNonces(needs, deployer, `${holder}:${jobNames.deploySplits}`, async (nonces) => {
    let isOver = false
    await walkItems(needs, await leaveOutOnTheirWay(needs, missing), {
      job: jobNames.deploySplits,
      nameOf: ({ merchant, address }) => ({ merchant, item: `split ${address}` }),
      async work(split) {
        if (isOver) return
        const outcome = await nonces.send(deployOrder(split))
        if (outcome.kind === 'would-revert')
          throw new ItemError('would-revert', `the factory would reject it: ${outcome.data}`)
        if (outcome.kind === 'no-code') await postponeAll(needs, missing)
        isOver = outcome.kind !== 'sent'
      },
    })
  })
}

async function postponeAll({ db, chain, clock }: TransactionNeeds, splits: readonly Split[]): Promise<void> {
  const at = addMs(clock.now(), withoutFactoryPauseMs)
  for (const { address } of splits) await postponeLook(db, chain.id, address, at)
}

async function sendLater(
  needs: TransactionNeeds,
  canSend: boolean,
  missing: readonly Split[],
): Promise<Split[]> {
  const { db, chain, clock } = needs
  const now = clock.now()
  const ready = missing.filter((split) => canSend && split.state !== 'cancelled' && split.effectiveAt <= now)
  for (const split of missing) {
    if (!ready.includes(split)) await postponeLook(db, chain.id, split.address, nextLook(split, now))
  }
  return ready
}

/** Anyone may deploy a scheduled version early; the service waits for its scheduled time. */
function nextLook(split: Split, now: UnixMs): UnixMs | undefined {
  if (split.state === 'cancelled') return undefined
  const pauseMs = Math.round(
    Math.min(longestPauseMs, Math.max(shortestPauseMs, (now - split.createdAt) / 20)),
  )
  const next = addMs(now, pauseMs)
  return split.effectiveAt > now && split.effectiveAt < next ? split.effectiveAt : next
}

/** Encodes the factory call. A repeated call finds the split and does nothing. */
export function deployOrder(split: Split): TransactionOrder {
  const { recipients, salt } = split
  return {
    kind: 'deploy',
    detail: { split: split.address },
    to: split.factory,
    data: encodeFunctionData({
      abi: splitFactoryAbi,
      functionName: 'createSplit',
      args: [recipients.map(({ address }) => address), recipients.map(({ sharesBps }) => sharesBps), salt],
    }),
  }
}

async function recordDeployed(needs: TransactionNeeds, owners: readonly SplitOwner[]): Promise<Split[]> {
  const { db, chain, clock } = needs
  if (owners.length === 0) return []
  const hasCode = await chain.readHasCode(owners.map(({ address }) => address))
  const deployed = owners.filter((_, i) => hasCode[i])
  const transactions = deployed.length > 0 ? await findDeployments(needs) : []
  const missing: Split[] = []
  await walkItems(needs, owners, {
    job: jobNames.deploySplits,
    nameOf: ({ merchant, address }) => ({ merchant, item: `check of split ${address}` }),
    async work(owner) {
      if (deployed.includes(owner)) {
        const tx = transactions.find(({ detail }) => detail.split === owner.address)?.hash
        return markDeployed(db, chain.id, owner, { at: clock.now(), tx })
      }
      const split = await findSplitVersion(db, owner.merchant, owner.version)
      assert(split, 'an address belongs to a split')
      if (split.deployedAt !== undefined) await markNotDeployed(db, chain.id, owner)
      missing.push(split)
    },
  })
  return missing
}

/** Returns recent deployments that this service sent. Finds none for a split that a third party deployed. */
async function findDeployments(needs: TransactionNeeds): Promise<OutgoingTransaction[]> {
  const { final } = await needs.chain.readHead()
  const own = await listOutgoingSince(needs.db, needs.chain.id, 'deploy', final.number - lateBlocks)
  const open = own.filter(({ state }) => state !== 'mined')
  const receipts = open.length > 0 ? await needs.chain.findReceipts(open.map(({ hash }) => hash)) : []
  const isMined = new Map(open.map((each, i) => [each, receipts[i]?.isSuccess ?? false]))
  return own.filter((each) => isMined.get(each) ?? true)
}

async function leaveOutOnTheirWay(needs: TransactionNeeds, splits: readonly Split[]): Promise<Split[]> {
  const sent = await listOutgoingSince(needs.db, needs.chain.id, 'deploy', nothingMined)
  const onTheirWay = new Set(sent.map(({ detail }) => detail.split))
  const paused = await findPaused(needs, 'deploy', ({ detail }) => [detail.split as string])
  return splits.filter(({ address }) => !onTheirWay.has(address) && !paused.has(address))
}
