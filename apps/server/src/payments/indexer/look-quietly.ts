import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain, ChainHead, NewsQuestion } from '../../chain/chain.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { targetsPerRequest } from './choose-balance-reads.ts'
import type { Pace, Quiet } from './pace.ts'
import { ownPatterns, type Watched } from './read-transfers.ts'
import { planTokenPatterns } from './token-patterns.ts'
import { type OpenBusiness, readOpenBusiness } from './waiting-store.ts'

/** While the watcher is quiet it reads so often what it has looked at, and writes down where it stands. */
export const quietMs = 30_000

/** After the last payment the chain is followed closely for so long: what is done with it comes in the next blocks. */
const closelyMs = 30_000

/** So many blocks are one request. */
const mostBlocks = 100n

/** Where a look begins: a block up to which everything was read, what was watched for, and what was held there. */
type Beginning = {
  readonly at: BlockHeader
  readonly watched: Watched
  readonly balances: ReadonlyMap<Wallet, bigint>
}

/**
 * What it takes to look at the next blocks without asking the database anything, or `undefined` where they have to be
 * read one by one: shortly after a payment, while something is set aside, and where the coin of too many addresses would
 * have to be looked at.
 */
export async function beginQuiet(
  { db, chain, clock }: Pick<ScanNeeds, 'db' | 'chain' | 'clock'>,
  { newsAt }: Pick<Pace, 'newsAt'>,
  { at, watched, balances }: Beginning,
): Promise<Quiet | undefined> {
  if (Math.abs(clock.now() - newsAt) < closelyMs) return undefined
  const held = balancesOf(watched, balances)
  if (!held) return undefined
  const business = await readOpenBusiness(db, chain.id)
  if (business.hasAside) return undefined
  const { number, hash } = at
  return { at: { number, hash }, ask: questionOf(chain, number, watched, held), business }
}

/**
 * Looks in one request at what came since the last look, and says whether nothing did: then the cursor may stay where
 * it is for a while. Where it is not sure, an ordinary step reads all blocks since the last one; in any case one does
 * after {@link quietMs}, since a look is no proof.
 *
 * Each look goes over the newest block of the one before as well: the endpoint knew that block when it was asked.
 */
export async function lookQuietly(
  { chain }: Pick<ScanNeeds, 'chain'>,
  pace: Pace,
  quiet: Quiet,
): Promise<{ head: ChainHead; isStill: boolean }> {
  const { head, isStill } = await chain.lookForNews(quiet.ask(quiet.at.number))
  const { latest } = head
  if (!isStill || isDue(quiet.business, head) || !(await follows(chain, latest, quiet)))
    return { head, isStill: false }
  pace.quiet = { ...quiet, at: { number: latest.number, hash: latest.hash } }
  return { head, isStill: true }
}

/** Whether a block is the one that was looked at last, or comes after it. */
async function follows(chain: Chain, latest: BlockHeader, { at }: Quiet): Promise<boolean> {
  const count = latest.number - at.number
  if (count === 0n) return latest.hash === at.hash
  if (count === 1n) return latest.parentHash === at.hash
  if (count < 0n || count > mostBlocks) return false
  const headers = await chain.readHeaders(at.number + 1n, latest.number)
  return headers[0]?.parentHash === at.hash && headers.at(-1)?.hash === latest.hash
}

/** Whether something that is known changes with these blocks although nothing is in them. */
function isDue({ nextEnd, nextSafe, nextFinal }: OpenBusiness, { latest, safe, final }: ChainHead): boolean {
  return (
    (nextEnd !== undefined && nextEnd < latest.at) ||
    (nextSafe !== undefined && nextSafe <= safe.number) ||
    (nextFinal !== undefined && nextFinal <= final.number)
  )
}

/** What the addresses hold at which coin may arrive; `undefined` where that is not known of each. */
function balancesOf(
  { targets }: Watched,
  balances: ReadonlyMap<Wallet, bigint>,
): ReadonlyMap<Wallet, bigint> | undefined {
  const held = new Map<Wallet, bigint>()
  for (const { tokenAddress, depositAddress } of targets) {
    if (tokenAddress !== nativeAddress) continue
    const balance = balances.get(depositAddress)
    if (balance === undefined || held.size >= targetsPerRequest) return undefined
    held.set(depositAddress, balance)
  }
  return held
}

function questionOf(
  chain: Chain,
  readTo: bigint,
  watched: Watched,
  balances: ReadonlyMap<Wallet, bigint>,
): (from: bigint) => NewsQuestion {
  const { byReceiver, all, isOurs } = planTokenPatterns(chain, 1, watched.targets)
  const own = ownPatterns(chain, watched)
  const patterns = [...own, ...(all ? [all] : byReceiver)]
  const contracts = new Set(own.flatMap(({ addresses }) => addresses ?? []))
  const isNews: NewsQuestion['isNews'] = (log) =>
    log.blockNumber > readTo && (!all || contracts.has(log.address) || isOurs(log))
  return (from) => ({ from, patterns, isNews, balances })
}
