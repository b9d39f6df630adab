import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { always } from '../../support/chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'
import type { EndpointLimits, EndpointOrders, EndpointState } from './endpoint.ts'
import type { Stretch } from './long-chain.ts'

export type WayAhead = {
  readonly blockCount: number
  /** Number of receipts to create and pay, spread evenly over the blocks. */
  readonly payments: number
  readonly token: TokenSymbol
  /** In each `every`-th block, `count` third parties each send one unit of the token. */
  readonly crowds?: {
    readonly every: number
    readonly count: number
    /** Whether they send to one of the service's receipts rather than to one another. */
    readonly areOurs?: boolean
  }
}

export type LongChainContext = PaymentContext & {
  readonly url: string
  /** Creates and pays receipts, adds the blocks and moves the clock. Returns the ids. */
  lengthen(ahead: WayAhead): Promise<readonly string[]>
  reset(awayMs: number): Promise<void>
  asked(): Promise<EndpointState>
  /** Returns the receipts that were not paid once with one webhook. */
  findWrong(ids: readonly string[]): Promise<string[]>
}

async function startEndpoint() {
  const child = fork(fileURLToPath(new URL('./endpoint.ts', import.meta.url)), { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/`
  return {
    /** Returns the URL that forwards requests to the chain `behind` until `begin`. */
    urlBefore: (behind: string) => `${url}?behind=${encodeURIComponent(behind)}`,
    async report<Name extends keyof EndpointOrders>(order: Name, what: EndpointOrders[Name]) {
      const response = await fetch(url + order, { method: 'POST', body: JSON.stringify(what) })
      return (await response.json()) as EndpointState
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

export async function startLongChain(
  limits: EndpointLimits = { logRange: 10_000, logCount: 10_000 },
  transactionsPerBlock = 0,
): Promise<LongChainContext> {
  const endpoint = await startEndpoint()
  let url = ''
  const begin = async () => {
    // The chain behind does not know the blocks on top of it, so it cannot be audited.
    const context = await startPayments({
      policy: always('seen'),
      blockTime: 0,
      endpoints: (behind) => {
        url = endpoint.urlBefore(behind)
        return [url]
      },
    })
    const token = context.tokenAddress('USDC')
    const shape = { secondsPerBlock: 0.25, transactionsPerBlock, token }
    await endpoint.report('begin', { behind: context.chain.rpcUrl, shape, limits })
    return context
  }
  const context = await begin().catch(async (error) => {
    await endpoint.stop()
    throw error
  })
  return { ...context, url, ...waysOf(context, endpoint) }
}

function waysOf(context: PaymentContext, endpoint: Awaited<ReturnType<typeof startEndpoint>>) {
  let madeCount = 0
  return {
    async lengthen({ blockCount, payments: count, token, crowds }: WayAhead) {
      madeCount += 1
      const payments: Stretch['payments'][number][] = []
      const ids = Array.from({ length: count }, (_, i) => `way-${madeCount}-${i}`)
      for (const [i, id] of ids.entries()) {
        const { depositAddress: to, amount } = await context.open(id, 20, token)
        const block = 1 + Math.floor((i * blockCount) / count)
        payments.push({ block, to, amount, isCoin: token === 'ETH' })
      }
      const ours = crowds?.areOurs
        ? (await context.open(`crowd-${madeCount}`, 100, token)).depositAddress
        : undefined
      const crowdList: Stretch['crowds'][number][] = []
      for (let block = crowds?.every ?? blockCount + 1; block <= blockCount; block += crowds?.every ?? 1)
        crowdList.push({ block, count: crowds?.count ?? 0, ...(ours && { to: ours }) })
      const { headAt } = await endpoint.report('extend', { blockCount, payments, crowds: crowdList })
      context.api.clock.jumpTo(headAt * 1_000)
      return ids
    },
    async reset(awayMs: number) {
      await endpoint.report('reset', { awayMs })
    },
    asked: () => endpoint.report('look', {}),
    async findWrong(ids: readonly string[]) {
      const rows = await context.rows<{ id: string; status: string; payments: bigint; reported: bigint }>(
        `SELECT r.id, r.status,
            (SELECT count(*) FROM payment p WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.state = 'credited')
              AS payments,
            (SELECT count(*) FROM outbox_message n WHERE n.merchant = r.merchant AND n.subject = r.id
              AND n.body::jsonb ->> 'status' = 'paid') AS reported
          FROM receipt r WHERE r.merchant = $1 AND r.id = ANY($2)`,
        [context.merchant.wallet, ids],
      )
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const { status = 'missing', payments = 0n, reported = 0n } = byId.get(id) ?? {}
        return status === 'paid' && payments === 1n && reported === 1n
          ? []
          : [`${id}: ${status}, ${payments} payments, ${reported} webhooks`]
      })
    },
    async stop() {
      await context.stop()
      await endpoint.stop()
    },
  }
}
