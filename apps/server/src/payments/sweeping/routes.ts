import {
  type WaitingDepositsQuery,
  type WaitingDepositView,
  waitingDepositList,
  waitingDepositsQuery,
} from '@sluice/protocol/api/deposits.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { type Route, route } from '../../access/route.ts'
import type { Chain } from '../../chain/chain.ts'
import { packedCursor, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import { listWaiting, type WaitingDeposit, type WaitingPlace } from './waiting-store.ts'

/** What the operator sees of the keeper's work. */
export function sweepRoutes(needs: { db: Database; chain: Pick<Chain, 'id' | 'tokens'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/deposits/waiting',
      access: { kind: 'session', roles: ['operator'] },
      summary: 'List deposits that are not worth sweeping',
      details: 'Deposits of all merchants that are worth less than the gas to sweep them.',
      query: waitingDepositsQuery,
      answers: { 200: waitingDepositList },
      async handle({ query }) {
        return { status: 200, body: await listWaitingPage(needs, query) }
      },
    }),
  ]
}

async function listWaitingPage(
  { db, chain }: { db: Database; chain: Pick<Chain, 'id' | 'tokens'> },
  query: WaitingDepositsQuery,
): Promise<{ deposits: WaitingDepositView[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, cursor, (after, count) =>
    listWaiting(db, chain.id, after, count),
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
    const receiptId = parseReceiptId(match?.[3])
    return merchant && token && receiptId ? { merchant, token, receiptId } : undefined
  },
})
