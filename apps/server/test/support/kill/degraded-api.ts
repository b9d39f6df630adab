import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type ApiResponse, type CallOptions, callApi } from '../api/call-api.ts'
import { logIn, type TestSession } from '../api/sessions.ts'
import { type ApiOptions, startApi, type TestApi } from '../api/start-api.ts'
import { takeableDatabase } from '../database/takeable-database.ts'

/** The API over a database that a test can take away. */
export type DegradedService = Pick<TestApi, 'url' | 'journal' | 'database' | 'clock' | 'stop'> & {
  readonly datastore: { isAway: boolean }
  readonly merchant: Wallet
  readonly key: string
  /** Sends a request, with the merchant's key by default. */
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>
  /** Logs in the merchant's owner. */
  logIn(): Promise<TestSession>
  /** Adds a merchant and returns its key. */
  addMerchant(): Promise<string>
  /** Returns how often each telemetry value of a receipt was counted. */
  countTelemetry(): Promise<Map<string, number>>
}

/** Starts the API with a merchant. `dataDir` may hold the journal of an earlier one. */
export async function startDegradedService(
  options: Pick<ApiOptions, 'beside' | 'dataDir'> = {},
): Promise<DegradedService> {
  const datastore = takeableDatabase()
  const api = await startApi({ ...options, between: datastore.of, running: ['apply-journal'] })
  const owner = await api.addMerchant()
  const call: DegradedService['call'] = (method, path, { key, session, ...more } = {}) => {
    const credentials = session ? { session } : key !== '' && { key: key ?? owner.key }
    return callApi(api.url, method, path, { ...more, ...credentials })
  }
  return {
    ...api,
    datastore,
    async stop() {
      datastore.isAway = false
      await api.stop()
    },
    merchant: owner.wallet,
    key: owner.key,
    call,
    logIn: () => logIn({ call }, owner),
    addMerchant: async () => (await api.addMerchant()).key,
    async countTelemetry() {
      type Row = { what: string; count: bigint }
      const text = `SELECT receipt_id || ' ' || value AS what, count FROM receipt_telemetry WHERE merchant = $1`
      const rows = await api.database.pool.rows<Row>({ name: '', text }, [owner.wallet])
      return new Map(rows.map((row) => [row.what, Number(row.count)]))
    },
  }
}
