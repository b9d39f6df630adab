import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { always } from '../chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../chain/payments.ts'
import type { EndpointLimits } from '../long-chain/answer-call.ts'
import type { EndpointState } from '../long-chain/endpoint.ts'
import type { Stretch } from '../long-chain/long-chain.ts'
import { type LongChainEndpoint, startLongChain } from '../long-chain/start-long-chain.ts'

/** What lies ahead of the watcher. */
export type WayAhead = {
  readonly blockCount: number
  /** So many receipts are made and paid, evenly along the way. */
  readonly payments: number
  readonly token: TokenSymbol
  /** Every so many blocks so many strangers send a unit of a token each. */
  readonly crowds?: {
    readonly every: number
    readonly count: number
    /** To a receipt of ours that this never pays, and not to one another. */
    readonly areOurs?: boolean
  }
}

/** A service whose chain grows by as many blocks as one likes, in a process of its own. */
export type LongChainWorld = PaymentContext & {
  readonly url: string
  /** Makes and pays receipts and adds the blocks; gives back their ids. Time passes with them. */
  lengthen(ahead: WayAhead): Promise<readonly string[]>
  /** Answers take so much longer from now on, and requests are counted and kept anew. */
  reset(awayMs: number): Promise<void>
  /** What was asked of it since. */
  asked(): Promise<EndpointState>
  /** How often each of the receipts was paid, and its merchant told: once and once is as it should be. */
  findWrong(ids: readonly string[]): Promise<string[]>
}

/** Starts it, with four blocks a second. */
export async function startLongChainWorld(
  limits: EndpointLimits = { logRange: 10_000, logCount: 10_000 },
  transactionsPerBlock = 0,
): Promise<LongChainWorld> {
  const endpoint = await startLongChain()
  let url = ''
  const begin = async () => {
    // The chain behind it is left alone: it says nothing of what is on top of it, and is not audited.
    const world = await startPayments({
      policy: always('seen'),
      blockTime: 0,
      endpoints: (behind) => {
        url = endpoint.urlBefore(behind)
        return [url]
      },
    })
    const token = world.tokenAddress('USDC')
    const shape = { secondsPerBlock: 0.25, transactionsPerBlock, token }
    await endpoint.tell('begin', { behind: world.chain.rpcUrl, shape, limits })
    return world
  }
  const world = await begin().catch(async (error) => {
    await endpoint.stop()
    throw error
  })
  return { ...world, url, ...waysOf(world, endpoint) }
}

function waysOf(world: PaymentContext, endpoint: LongChainEndpoint) {
  let madeCount = 0
  return {
    async lengthen({ blockCount, payments: count, token, crowds }: WayAhead) {
      madeCount += 1
      const payments: Stretch['payments'][number][] = []
      const ids = Array.from({ length: count }, (_, i) => `way-${madeCount}-${i}`)
      for (const [i, id] of ids.entries()) {
        const { depositAddress: to, amount } = await world.open(id, 20, token)
        const block = 1 + Math.floor((i * blockCount) / count)
        payments.push({ block, to, amount, isCoin: token === 'ETH' })
      }
      const ours = crowds?.areOurs
        ? (await world.open(`crowd-${madeCount}`, 100, token)).depositAddress
        : undefined
      const crowdList: Stretch['crowds'][number][] = []
      for (let block = crowds?.every ?? blockCount + 1; block <= blockCount; block += crowds?.every ?? 1)
        crowdList.push({ block, count: crowds?.count ?? 0, ...(ours && { to: ours }) })
      const { headAt } = await endpoint.tell('extend', { blockCount, payments, crowds: crowdList })
      world.api.clock.jumpTo(headAt * 1_000)
      return ids
    },
    async reset(awayMs: number) {
      await endpoint.tell('reset', { awayMs })
    },
    asked: () => endpoint.tell('look', {}),
    async findWrong(ids: readonly string[]) {
      const rows = await world.rows<{ id: string; status: string; payments: bigint; told: bigint }>(
        `SELECT r.id, r.status,
            (SELECT count(*) FROM payment p WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.state = 'credited')
              AS payments,
            (SELECT count(*) FROM notice n WHERE n.merchant = r.merchant AND n.subject = r.id
              AND n.body::jsonb ->> 'status' = 'paid') AS told
          FROM receipt r WHERE r.merchant = $1 AND r.id = ANY($2)`,
        [world.merchant.wallet, ids],
      )
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const { status = 'missing', payments = 0n, told = 0n } = byId.get(id) ?? {}
        return status === 'paid' && payments === 1n && told === 1n
          ? []
          : [`${id}: ${status}, ${payments} payments, ${told} webhooks`]
      })
    },
    async stop() {
      await world.stop()
      await endpoint.stop()
    },
  }
}
