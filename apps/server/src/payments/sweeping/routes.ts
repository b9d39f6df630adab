import {
  keeperResponse,
  type WaitingDepositsQuery,
  type WaitingDepositView,
  waitingDepositList,
  waitingDepositsQuery,
} from '@sluice/protocol/api/deposits.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { sessionOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { openSender } from '../../chain/transactions/transaction.ts'
import { packedCursor, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import { readSweepCosts } from './choose-sweeps.ts'
import { listWaiting, listWaitingOf, type WaitingDeposit, type WaitingPlace } from './waiting-store.ts'

export type SweepRouteNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly keeperKey: Hex | undefined
}

const readers = ['owner', 'admin', 'developer', 'viewer', 'operator'] as const

export function sweepRoutes(needs: SweepRouteNeeds): Route[] {
  const { chain, keeperKey } = needs
  return [
    route({
      method: 'GET',
      path: '/api/keeper',
      access: { kind: 'session', roles: readers },
      description:
        "Retrieve the status of the keeper. The keeper is the service's wallet that moves deposits to splits and pays out shares. Only the operator sees its address and balance.",
      responses: { 200: keeperResponse },
      document: { apiErrors: ['chain_unavailable'] },
      prepare: () => evaluateKeeper(chain, keeperKey && openSender(keeperKey).address),
      async handle({ caller, prepared }) {
        if (prepared.kind === 'none') return { status: 200, body: { gas: 'none' } }
        const { kind: gas, address, balance, wanted } = prepared
        const inFull = { address, balanceRaw: String(balance), wantedRaw: String(wanted) }
        const isOperator = sessionOf(caller).role === 'operator'
        return { status: 200, body: { gas, ...(isOperator && inFull) } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/deposits/waiting',
      access: { kind: 'session', roles: readers },
      description:
        'List waiting deposits. Returns deposits that are worth less than the gas to sweep them, or all deposits if the service has no keeper. The operator gets the deposits of all merchants.',
      query: waitingDepositsQuery,
      responses: { 200: waitingDepositList },
      async handle({ caller, query }) {
        return { status: 200, body: await listWaitingPage(needs, sessionOf(caller).merchant, query) }
      },
    }),
  ]
}

async function listWaitingPage(
  { db, chain }: SweepRouteNeeds,
  merchant: Wallet | undefined,
  query: WaitingDepositsQuery,
): Promise<{ deposits: WaitingDepositView[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, cursor, (after, count) =>
    merchant === undefined
      ? listWaiting(db, chain.id, after, count)
      : listWaitingOf(db, chain.id, merchant, after, count),
  )
  return { deposits: page.flatMap((deposit) => viewWaiting(chain, deposit)), nextCursor }
}

function viewWaiting({ tokens }: Pick<Chain, 'tokens'>, deposit: WaitingDeposit): WaitingDepositView[] {
  const token = tokens.find(({ address }) => address === deposit.token)
  if (!token) return []
  return [
    {
      merchantWallet: deposit.merchant,
      receiptId: deposit.receiptId,
      currency: token.symbol,
      amount: writeTokenAmount(deposit.amount as TokenUnits, token.decimals),
      amountRaw: deposit.amount.toString(),
      since: deposit.since,
      lookAt: deposit.lookAt,
    },
  ]
}

const cursor = packedCursor<WaitingPlace>({
  write: ({ merchant, token, receiptId }) => `${merchant}:${token}:${receiptId}`,
  parse(text) {
    const match = /^(0x[^:]+):(0x[^:]+):(.+)$/.exec(text)
    const [merchant, token] = [parseWallet(match?.[1]), parseWallet(match?.[2])]
    const receiptId = match?.[3]
    return merchant && token && receiptId ? { merchant, token, receiptId } : undefined
  },
})

const transactionsAhead = 50n
const sweepsEach = 4n

type KeeperState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'enough' | 'low'
      readonly address: Wallet
      /** In wei, like `wanted`. */
      readonly balance: bigint
      readonly wanted: bigint
    }

async function evaluateKeeper(chain: Chain, keeper: Wallet | undefined): Promise<KeeperState> {
  if (keeper === undefined) return { kind: 'none' }
  const [[balance = 0n], costs] = await Promise.all([
    chain.readBalances([keeper], 'latest'),
    readSweepCosts({ chain }),
  ])
  const wanted = transactionsAhead * (costs.perTransaction + sweepsEach * costs.perSweep)
  return { kind: balance < wanted ? 'low' : 'enough', address: keeper, balance, wanted }
}
