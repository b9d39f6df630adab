import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { listFactories } from '../../chain/factory-store.ts'
import {
  type AggregatedCall,
  type AggregatedResult,
  aggregate,
  multicall3,
  nativeBalanceCall,
  readAggregated,
} from '../../chain/read-amounts.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { sweptTopic } from '../../split/ledger/decode-events.ts'
import { listOldTargets, type Target, watchTime } from '../attempts/targets.ts'
import { beginLook, type Look } from '../cursors/begin-look.ts'
import { runScan, type ScanNeeds } from '../cursors/scan-needs.ts'
import { readExpectedNative } from '../ledger/place-store.ts'
import { readSweptDeposit, type Transfer } from '../ledger/transfer.ts'
import { applyStep } from './apply-step.ts'
import { findUnexplainedNative, nativeMovesOf } from './find-unexplained-native.ts'
import { findTransferBlocks, readTransfers } from './read-transfers.ts'

const everyMs = 24 * 3_600_000
const targetsPerCall = 200

export function makeScanOldJob(needs: ScanNeeds): Job {
  const states = new StateLog(needs.log)
  return {
    name: jobNames.scanOld,
    everyMs: 60_000,
    run: () => runScan(states, () => scanOld(needs)),
  }
}

/**
 * Scans attempts that ended more than 30 days ago, once per day of chain time, in a single step. An
 * interrupted round starts again.
 */
async function scanOld(needs: ScanNeeds): Promise<'again' | 'done'> {
  const look = await beginLook(needs, cursorNames.old, everyMs)
  if (!look) return 'done'
  const { from, final, readAt, tags } = look
  const targets = await listMoved(needs, look)
  const tokens = await readTokens(needs, targets, { from: from.number + 1n, to: final.number })
  const block = { ...readAt, parentHash: readAt.hash }
  const noticed = await findUnexplainedNative(needs, targets, block, [])
  return applyStep(needs, {
    watcher: cursorNames.old,
    from,
    to: final,
    blocks: [],
    tags,
    coveredTo: readAt.at,
    targets,
    transfers: [...tokens, ...noticed.transfers],
    coin: nativeMovesOf(noticed),
    noticed,
    readAt,
  })
}

/**
 * Lists old targets with a balance, a sweep or a negative expected balance. Anyone may sweep an address
 * before it is checked.
 */
async function listMoved({ db, chain }: ScanNeeds, { from, readAt }: Look): Promise<Target[]> {
  const now = watchTime(readAt)
  const moved: Target[] = []
  let swept: ReadonlySet<Wallet> | undefined
  let after = ''
  for (;;) {
    const page = await listOldTargets(db, chain.id, now, after, targetsPerCall)
    const deposits: Wallet[] = page.map(({ depositAddress }) => depositAddress)
    const last = deposits.at(-1)
    if (last === undefined) return moved
    const range = { from: from.number + 1n, to: readAt.number }
    swept ??= await findSweptDeposits(chain, await listFactories(db, chain), range)
    const holding = await findFundedDeposits(chain, deposits, readAt.number)
    const booked = await readExpectedNative(db, chain.id, deposits, readAt.number)
    const isOverdrawn = (deposit: Wallet) => (booked.get(deposit)?.total ?? 0n) < 0n
    for (const target of page) {
      const { depositAddress } = target
      if (holding.has(depositAddress) || swept.has(depositAddress) || isOverdrawn(depositAddress))
        moved.push(target)
    }
    after = last
  }
}

export async function readTokens(
  { chain }: Pick<ScanNeeds, 'chain'>,
  targets: readonly Target[],
  range: { from: bigint; to: bigint },
): Promise<Transfer[]> {
  if (targets.length === 0) return []
  const found: Transfer[] = []
  for (const number of await findTransferBlocks(chain, range, targets)) {
    const header = await chain.findHeader(number)
    // Behind a load balancer, one endpoint may not know a block that another has just returned.
    if (!header) throw new ChainUnavailable(`The chain returned logs for block ${number} but not the block`)
    const { transfers } = await readTransfers(chain, [header], { splits: [], targets })
    found.push(...transfers)
  }
  return found
}

const blocksPerCall = 5_000n

async function findSweptDeposits(
  chain: Pick<Chain, 'readLogs'>,
  factories: readonly Wallet[],
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<Set<Wallet>> {
  const swept = new Set<Wallet>()
  for (let at = from; at <= to; at += blocksPerCall) {
    const end = at + blocksPerCall - 1n
    const range = { from: at, to: end < to ? end : to }
    for (const log of await chain.readLogs({ ...range, addresses: factories, topics: [sweptTopic] })) {
      const deposit = readSweptDeposit(log, factories)
      if (deposit) swept.add(deposit)
    }
  }
  return swept
}

/**
 * Finds addresses with a balance at a block, in one call. An address with an unknown balance counts as
 * funded.
 *
 * @throws {ChainUnavailable}
 */
async function findFundedDeposits(
  chain: Pick<Chain, 'call' | 'tokens'>,
  deposits: readonly Wallet[],
  at: bigint,
): Promise<Set<Wallet>> {
  const asked = deposits.flatMap((deposit) =>
    chain.tokens.map(({ address }) => ({ deposit, call: balanceCall(address, deposit) })),
  )
  const response = await chain.call(multicall3, aggregate(asked.map(({ call }) => call)), at)
  if (!response.ok || response.data === '0x') return new Set(deposits)
  const results = readAggregated(response.data, asked.length)
  if (!results) throw new ChainUnavailable('The chain returned balances that cannot be read')
  return new Set(asked.filter((_, i) => mayHold(results[i])).map(({ deposit }) => deposit))
}

function balanceCall(token: Wallet, deposit: Wallet): AggregatedCall {
  if (token === nativeAddress) return nativeBalanceCall(deposit)
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [deposit] })
  return { target: token, callData }
}

function mayHold(result: AggregatedResult | undefined): boolean {
  return !result?.success || /[1-9a-f]/.test(result.returnData.slice(2))
}
