import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type ApiResponse, type CallOptions, callApi } from '../api/call-api.ts'
import { logIn, type TestSession } from '../api/sessions.ts'
import { type ApiOptions, startApi, type TestApi } from '../api/start-api.ts'
import { takeableDatabase } from '../database/takeable-database.ts'

export type DegradedService = Pick<TestApi, 'url' | 'journal' | 'database' | 'clock' | 'stop'> & {
  readonly datastore: { isAway: boolean }
  readonly merchant: Wallet
  readonly key: string
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>
  logIn(): Promise<TestSession>
  addMerchant(): Promise<string>
  countTelemetry(): Promise<Map<string, number>>
}

/** Starts the API with a merchant. `dataDir` may contain the journal of an earlier service. */
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
