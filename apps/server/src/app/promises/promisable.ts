import type { ReportStatusRequest } from '@sluice/protocol/api/receipts/status.ts'
import type { ChangeShopRequest } from '@sluice/protocol/api/shop.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Caller } from '../../access/caller.ts'
import type { Route, RouteInput } from '../../access/route.ts'
import type { SpoolRecord } from '../../platform/spool/spool.ts'
import { parseStatusReport } from '../../receipts/managing/report-status.ts'
import { parseShopChange } from '../../shop/parse-change.ts'

/** What a record of the journal holds: the request as its handler got it, without credentials. */
export type Promised = Pick<
  RouteInput<never, never, never>,
  'params' | 'query' | 'correlationId' | 'clientAddress'
> & {
  readonly body: unknown
  readonly caller: Caller | undefined
}

/** A write that may be promised. */
export type Promisable = {
  /**
   * What is kept of the body of a request that may be promised; nothing of one that may not.
   *
   * @throws {Refusal} as its handler does, for whatever is wrong with the body itself.
   */
  keep(body: unknown): unknown
  /** Whether only the database can accept it: it comes after those that wait, and is never promised itself. */
  needsDatabase?(body: unknown): boolean
  /** The wallet of the merchant whose it is, as it was sent. */
  walletOf(request: Pick<Promised, 'body' | 'caller'>): string | undefined
  /** The route that shows the merchant what it has changed. */
  readonly shownBy?: string
}

/** Writes that may be promised, and which of their requests (decisions: Degraded mode). Nothing that concerns money. */
const promisable: ReadonlyMap<string, Promisable> = new Map<string, Promisable>([
  [
    'POST /api/shop/config',
    {
      keep(body) {
        // Nobody is there to be told any more when it is applied.
        parseShopChange(body as ChangeShopRequest)
        return body
      },
      needsDatabase: (body) => (body as ChangeShopRequest).slug !== undefined,
      walletOf: ({ caller }) => (caller?.kind === 'session' ? caller.merchant : undefined),
      shownBy: 'GET /api/shop/config',
    },
  ],
  [
    'POST /api/receipts/status',
    {
      keep(body) {
        const { receiptId, wallet, status, reason } = body as ReportStatusRequest
        const isTelemetry = parseStatusReport(body as ReportStatusRequest).kind === 'telemetry'
        return isTelemetry ? { receiptId, wallet, status, reason } : undefined
      },
      walletOf({ body }) {
        const { wallet } = body as ReportStatusRequest
        return typeof wallet === 'string' ? wallet : undefined
      },
    },
  ],
])

/** What of a route may be promised; `undefined` where nothing may. */
export function findPromisable(route: Route): Promisable | undefined {
  return promisable.get(kindOf(route))
}

/** Of what kind the promises are that a route shows when they are kept; `undefined` where it shows none. */
export function findShown(route: Route): string | undefined {
  for (const [kind, { shownBy }] of promisable) if (shownBy === kindOf(route)) return kind
  return undefined
}

/** Of what kind a route's requests are promised. */
export function kindOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/**
 * What a promise is about, among which alone its order matters: what one merchant is promised of one route. What strangers
 * tell of a merchant's checkouts so never holds up what the merchant does.
 */
export function subjectOf({ kind, payload }: Pick<SpoolRecord, 'kind' | 'payload'>): string {
  return subjectFor(kind, walletOf({ kind, payload }))
}

/** What promises of a kind to one merchant are about. */
export function subjectFor(kind: string, wallet: string | undefined): string {
  // By its letters: to spell a wallet as inside Sluice takes a hash each, and a journal holds 100,000.
  return `${kind} ${wallet?.toLowerCase() ?? ''}`
}

/** The merchant whose promise a record is. */
export function merchantOfPromise(record: Pick<SpoolRecord, 'kind' | 'payload'>): Wallet | undefined {
  return parseWallet(walletOf(record))
}

function walletOf({ kind, payload }: Pick<SpoolRecord, 'kind' | 'payload'>): string | undefined {
  return promisable.get(kind)?.walletOf(payload as Promised)
}
