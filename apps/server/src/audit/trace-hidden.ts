import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../chain/chain.ts'
import { logsOf } from '../chain/rpc/read-receipts.ts'
import { findSteps } from '../kernel/find-steps.ts'
import { type Account, type Holding, readHoldings, readReceived, receivedBy, sum } from './account.ts'
import { type ArrivedAmount, keyOf, listArrived } from './arrival.ts'
import { type Movement, type Ours, readMovement } from './movement.ts'

const roundsAtMost = 8
const nothing: Holding = { held: 0n, released: 0n }

/** What was received of each account, with nothing hidden. */
export type Traced = {
  readonly movements: readonly Movement[]
  readonly arrived: readonly ArrivedAmount[]
  readonly holdings: ReadonlyMap<Account, Holding>
  /** By account, all it received from its beginning on: by the state of the chain. */
  readonly received: ReadonlyMap<Account, bigint>
}

/**
 * Holds what logs tell against what the chain's state says, account by account, and finds what the logs left out:
 * by halving, the blocks in which an account received more than was logged, and there every receipt.
 */
export async function traceHidden(
  needs: { chain: Chain; ours: Ours; tell: (text: string) => void },
  accounts: readonly Account[],
  logged: readonly Movement[],
  at: bigint,
): Promise<Traced> {
  const { chain, ours, tell } = needs
  tell(`reading the balances of ${accounts.length} accounts at block ${at}`)
  const holdings = await readHoldings(chain, accounts, at)
  const before = await readBefore(chain, accounts)
  const known = new Map(logged.map((each) => [`${each.txHash} ${each.logIndex}`, each]))
  const forced: ArrivedAmount[] = []
  for (let round = 0; round < roundsAtMost; round++) {
    const movements = [...known.values()]
    const byAccount = groupMovements(movements, ({ to }) => to)
    const sweeps = sweepsOf(movements)
    const sizeBefore = known.size + forced.length
    for (const account of accounts) {
      if (account.kind === 'deposit' && account.token === nativeAddress) continue
      const own = byAccount.get(keyOf(account)) ?? []
      const explained = (block: bigint) =>
        sum(
          own.filter(
            (each) =>
              countsAs(account, each) && each.blockNumber <= block && each.blockNumber > account.since,
          ),
        ) +
        plainSum(account, own, block) +
        sum(forced.filter((each) => each.account === account && each.blockNumber <= block))
      const base = before.get(account) ?? 0n
      const taken = sweeps.get(keyOf(account)) ?? []
      const received = receivedBy(holdings.get(account) ?? nothing, taken, at) - base
      if (received === explained(at)) continue
      tell(
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
          .filter((each) => !known.has(`${each.txHash} ${each.logIndex}`))
        for (const each of fresh) known.set(`${each.txHash} ${each.logIndex}`, each)
        const isExplained = fresh.some((each) => each.token === account.token)
        if (!isExplained && change > 0n && account.kind === 'split')
          forced.push({
            account,
            how: 'forced',
            amount: change,
            txHash: whole.block.hash,
            blockNumber: block,
          })
      }
    }
    if (known.size + forced.length === sizeBefore) break
  }
  const movements = [...known.values()]
  const byAccount = groupMovements(movements, ({ to }) => to)
  const sweeps = sweepsOf(movements)
  return {
    movements,
    holdings,
    arrived: [
      ...accounts.flatMap((account) =>
        listArrived(
          account,
          (byAccount.get(keyOf(account)) ?? []).filter(({ blockNumber }) => blockNumber > account.since),
        ),
      ),
      ...forced,
    ],
    received: new Map(
      accounts.map((account) => {
        const taken = sweeps.get(keyOf(account)) ?? []
        const base = before.get(account) ?? 0n
        return [account, receivedBy(holdings.get(account) ?? nothing, taken, at) - base]
      }),
    ),
  }
}

/** What an account was known to have received of itself; for a split what came plainly is counted apart. */
function countsAs({ kind }: Account, movement: Movement): boolean {
  return kind === 'deposit'
    ? movement.kind === 'token-in'
    : movement.kind === 'swept' || movement.kind === 'called'
}

function plainSum(account: Account, own: readonly Movement[], block: bigint): bigint {
  if (account.kind === 'deposit') return 0n
  const until = own.filter(({ blockNumber }) => blockNumber <= block && blockNumber > account.since)
  return sum(listArrived(account, until).filter(({ how }) => how === 'plain'))
}

/** What left deposit addresses, by the address and the token. */
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

/** What accounts had received before they were ours: nothing, but for contracts that were taken over. */
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
