import type { Cents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

/** A merchant's own rate of tax in a jurisdiction. */
export type OwnTaxRate = {
  /** In capitals, `US-CA`. */
  readonly jurisdictionCode: string
  /** A fraction with at most six decimals. */
  readonly rate: number
  readonly components: readonly string[]
}

/** How a merchant wants its payments treated; the defaults where it has said nothing. */
export type MerchantSettings = {
  /** From these totals on a payment has to be safe, and final. */
  readonly finality: { readonly safeFrom: Cents; readonly finalFrom: Cents }
  readonly taxRates: readonly OwnTaxRate[]
  /** E-mail address. */
  readonly notificationAddress: string | undefined
  readonly updatedAt: UnixMs | undefined
}

/** What holds for a merchant that has said nothing (decisions: Payments on chain, Finality by amount). */
export const defaultSettings: MerchantSettings = {
  finality: { safeFrom: 10_000n as Cents, finalFrom: 100_000n as Cents },
  taxRates: [],
  notificationAddress: undefined,
  updatedAt: undefined,
}

/** The settings of a merchant. */
export async function findSettings(db: Database, merchant: Wallet): Promise<MerchantSettings> {
  const row = await db.row<SettingsRow>(find, [merchant])
  if (!row) return defaultSettings
  const { finality } = defaultSettings
  return {
    finality: {
      safeFrom: (row.safe_from_cents ?? finality.safeFrom) as Cents,
      finalFrom: (row.final_from_cents ?? finality.finalFrom) as Cents,
    },
    taxRates: row.tax_rates === null ? [] : JSON.parse(row.tax_rates),
    notificationAddress: row.notification_address ?? undefined,
    updatedAt: Number(row.updated_at) as UnixMs,
  }
}

/** The amounts a merchant has set itself, or `undefined` where the deployment's hold. */
export async function findOwnFinality(
  db: Database,
  merchant: Wallet,
): Promise<MerchantSettings['finality'] | undefined> {
  const row = await db.row<SettingsRow>(find, [merchant])
  if (!row || row.safe_from_cents === null || row.final_from_cents === null) return undefined
  return { safeFrom: row.safe_from_cents as Cents, finalFrom: row.final_from_cents as Cents }
}

/** The merchant's own rate for a jurisdiction in capitals, or `undefined`. */
export async function findOwnTaxRate(
  needs: { db: Database },
  merchant: Wallet,
  jurisdictionCode: string,
): Promise<OwnTaxRate | undefined> {
  const { taxRates } = await findSettings(needs.db, merchant)
  return taxRates.find((rate) => rate.jurisdictionCode === jurisdictionCode)
}

type SettingsRow = {
  safe_from_cents: bigint | null
  final_from_cents: bigint | null
  tax_rates: string | null
  notification_address: string | null
  updated_at: bigint
}

const find = {
  name: 'find-merchant-settings',
  text: `SELECT safe_from_cents, final_from_cents, tax_rates, notification_address, updated_at
    FROM merchant_settings WHERE merchant = $1`,
}
