import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../chain/chain.ts'
import { logsOf } from '../chain/rpc/read-receipts.ts'
import { findSteps } from '../kernel/find-steps.ts'
import { type Account, type Holding, readHoldings, readReceived, receivedBy, sum } from './account.ts'
import { type ArrivedAmount, keyOf, listArrived, type Owners } from './arrival.ts'
import { type Movement, type Ours, readMovement } from './read-movements.ts'

const roundsAtMost = 8
const nothing: Holding = { held: 0n, released: 0n }

export type Traced = {
  readonly movements: readonly Movement[]
  readonly arrived: readonly ArrivedAmount[]
  readonly holdings: ReadonlyMap<Account, Holding>
  readonly received: ReadonlyMap<Account, bigint>
}

type TraceNeeds = {
  readonly chain: Chain
  readonly ours: Ours
  readonly owners: Owners
  readonly report: (text: string) => void
}

type Trace = {
  readonly at: bigint
  readonly holdings: ReadonlyMap<Account, Holding>
  readonly before: ReadonlyMap<Account, bigint>
  readonly known: Map<string, Movement>
  readonly forced: ArrivedAmount[]
}

/**
 * Finds money that the logs do not show, by comparing them with the chain's state.
 *
 * A binary search finds the blocks in which an account received more than was logged. The transaction
 * receipts of these blocks are then read.
 */
export async function traceHidden(
  needs: TraceNeeds,
  accounts: readonly Account[],
  logged: readonly Movement[],
  at: bigint,
): Promise<Traced> {
  const { chain, report } = needs
  report(`reading the balances of ${accounts.length} accounts at block ${at}`)
  const trace: Trace = {
    at,
    holdings: await readHoldings(chain, accounts, at),
    before: await readBefore(chain, accounts),
    known: new Map(logged.map((each) => [logOf(each), each])),
    forced: [],
  }
  for (let round = 0; round < roundsAtMost; round++) {
    const sizeBefore = trace.known.size + trace.forced.length
    const { byAccount, sweeps } = groupKnown(trace)
    for (const account of accounts) {
      if (account.kind === 'deposit' && account.token === nativeAddress) continue
      const key = keyOf(account)
      await traceAccount(needs, trace, account, {
        own: byAccount.get(key) ?? [],
        taken: takenFrom(account, sweeps),
      })
    }
    if (trace.known.size + trace.forced.length === sizeBefore) break
  }
  return conclude(needs, trace, accounts)
}

async function traceAccount(
  { chain, ours, owners, report }: TraceNeeds,
  trace: Trace,
  account: Account,
  { own, taken }: { own: readonly Movement[]; taken: readonly Movement[] },
): Promise<void> {
  const { at, known, forced } = trace
  const explained = (block: bigint) =>
    sum(
      own.filter(
        (each) => countsAs(account, each) && each.blockNumber <= block && each.blockNumber > account.since,
      ),
    ) +
    plainSum(owners, account, own, block) +
    sum(forced.filter((each) => each.account === account && each.blockNumber <= block))
  const received = receivedIn(trace, account, taken)
  if (received === explained(at)) return
  report(
    `${account.kind} ${account.owner} received ${received}, but its logs show ${explained(at)}: searching for the block`,
  )
  const steps = await findSteps(
    account.since,
    at,
    async (block) => (await readReceived(chain, account, taken, block)) - explained(block),
  )
  for (const { block, change } of steps) {
    const whole = await chain.readReceipts(block)
    const fresh = logsOf(whole)
      .map((log) => readMovement(ours, log))
      .filter((each) => each !== undefined)
      .filter((each) => !known.has(logOf(each)))
    for (const each of fresh) known.set(logOf(each), each)
    const isExplained = fresh.some((each) => each.token === account.token)
    if (!isExplained && change > 0n && account.kind === 'split')
      forced.push({
        account,
        receiptId: undefined,
        how: 'forced',
        amount: change,
        txHash: whole.block.hash,
        blockNumber: block,
      })
  }
}

function conclude({ owners }: TraceNeeds, trace: Trace, accounts: readonly Account[]): Traced {
  const { movements, byAccount, sweeps } = groupKnown(trace)
  const arrived = accounts.flatMap((account) => {
    const own = byAccount.get(keyOf(account)) ?? []
    return listArrived(
      owners,
      account,
      own.filter(({ blockNumber }) => blockNumber > account.since),
    )
  })
  const received = accounts.map(
    (account) => [account, receivedIn(trace, account, takenFrom(account, sweeps))] as const,
  )
  return {
    movements,
    holdings: trace.holdings,
    arrived: [...arrived, ...trace.forced],
    received: new Map(received),
  }
}

function groupKnown({ known }: Trace) {
  const movements = [...known.values()]
  return { movements, byAccount: groupMovements(movements, ({ to }) => to), sweeps: sweepsOf(movements) }
}

function receivedIn({ at, holdings, before }: Trace, account: Account, taken: readonly Movement[]): bigint {
  return receivedBy(holdings.get(account) ?? nothing, taken, at) - (before.get(account) ?? 0n)
}

function logOf({ txHash, logIndex }: Movement): string {
  return `${txHash} ${logIndex}`
}

/** Plain arrivals at a split are totaled separately. */
function countsAs({ kind }: Account, movement: Movement): boolean {
  return kind === 'deposit'
    ? movement.kind === 'token-in'
    : movement.kind === 'swept' || movement.kind === 'called'
}

function plainSum(owners: Owners, account: Account, own: readonly Movement[], block: bigint): bigint {
  if (account.kind === 'deposit') return 0n
  const until = own.filter(({ blockNumber }) => blockNumber <= block && blockNumber > account.since)
  return sum(listArrived(owners, account, until).filter(({ how }) => how === 'plain'))
}

export function takenFrom(
  account: Account,
  sweeps: ReadonlyMap<string, readonly Movement[]>,
): readonly Movement[] {
  return (sweeps.get(keyOf(account)) ?? []).filter(({ blockNumber }) => blockNumber > account.since)
}

function sweepsOf(movements: readonly Movement[]): Map<string, Movement[]> {
  return groupMovements(
    movements.filter(({ kind }) => kind === 'swept'),
    ({ from }) => from,
  )
}

function groupMovements(
  movements: readonly Movement[],
  ownerOf: (movement: Movement) => Wallet | undefined,
): Map<string, Movement[]> {
  const groups = new Map<string, Movement[]>()
  for (const movement of movements) {
    const owner = ownerOf(movement)
    if (owner === undefined) continue
    const key = keyOf({ owner, token: movement.token })
    const group = groups.get(key)
    if (group) group.push(movement)
    else groups.set(key, [movement])
  }
  return groups
}

async function readBefore(chain: Chain, accounts: readonly Account[]): Promise<Map<Account, bigint>> {
  const before = new Map<Account, bigint>()
  for (const since of new Set(accounts.map((account) => account.since))) {
    if (since === 0n) continue
    const own = accounts.filter((account) => account.since === since && account.kind === 'split')
    for (const [account, { held, released }] of await readHoldings(chain, own, since))
      before.set(account, held + released)
  }
  return before
}
