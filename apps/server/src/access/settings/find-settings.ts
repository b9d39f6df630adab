import type { SettingsView } from '@sluice/protocol/api/access.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, texts, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'

export type OwnTaxRate = {
  /** Upper case, such as `US-CA`. */
  readonly jurisdictionCode: string
  /** Fraction with at most six decimals. */
  readonly rate: number
  readonly components: readonly string[]
}

export type MerchantSettings = {
  /** Totals, in cents, at or above which a payment must be safe or final. */
  readonly finality: { readonly safeFrom: Cents; readonly finalFrom: Cents }
  readonly taxRates: readonly OwnTaxRate[]
  /** Origins that may embed the checkout in a frame. */
  readonly embedOrigins: readonly string[]
  readonly updatedAt: UnixMs | undefined
}

/** Settings of a merchant that changed none: `safe` at 100 USD or more, `final` at 1,000 USD or more. */
export const defaultSettings: MerchantSettings = {
  finality: { safeFrom: 10_000n as Cents, finalFrom: 100_000n as Cents },
  taxRates: [],
  embedOrigins: [],
  updatedAt: undefined,
}

/** Returns the merchant's settings, with defaults for unset fields. */
export async function findSettings(db: Database, merchant: Wallet): Promise<MerchantSettings> {
  const row = await db.row(find({ merchant }))
  if (!row) return defaultSettings
  const { finality } = defaultSettings
  return {
    finality: {
      safeFrom: row.safeFromCents ?? finality.safeFrom,
      finalFrom: row.finalFromCents ?? finality.finalFrom,
    },
    taxRates: row.taxRates,
    embedOrigins: row.embedOrigins,
    updatedAt: row.updatedAt,
  }
}

/** Returns the merchant's own finality thresholds, or `undefined` if the deployment's apply. */
export async function findOwnFinality(
  db: Database,
  merchant: Wallet,
): Promise<MerchantSettings['finality'] | undefined> {
  const row = await db.row(find({ merchant }))
  if (!row || row.safeFromCents === undefined || row.finalFromCents === undefined) return undefined
  return { safeFrom: row.safeFromCents as Cents, finalFrom: row.finalFromCents as Cents }
}

/** Returns the merchant's rate for a jurisdiction (in upper case), or else for its country. */
export async function findOwnTaxRate(
  needs: { db: Database },
  merchant: Wallet,
  jurisdictionCode: string,
): Promise<OwnTaxRate | undefined> {
  const { taxRates } = await findSettings(needs.db, merchant)
  const rateOf = (code?: string) => taxRates.find((rate) => rate.jurisdictionCode === code)
  return rateOf(jurisdictionCode) ?? rateOf(jurisdictionCode.split('-')[0])
}

type StoredSettings = Omit<MerchantSettings, 'finality' | 'updatedAt'> & {
  readonly merchant: Wallet
  readonly safeFromCents: Cents | undefined
  readonly finalFromCents: Cents | undefined
  readonly updatedAt: UnixMs
}

export const settingsTable = table<StoredSettings>('merchant_settings', {
  merchant: text(),
  safeFromCents: optional(int8()),
  finalFromCents: optional(int8()),
  taxRates: json(),
  embedOrigins: texts(),
  updatedAt: time(),
})

const find = statement({
  name: 'find-merchant-settings',
  reads: settingsTable,
  text: `SELECT ${columnsOf(settingsTable)} FROM merchant_settings WHERE merchant = :merchant`,
})

export function viewSettings(settings: MerchantSettings): SettingsView {
  return {
    finality: {
      safeFromUsd: writeCents(settings.finality.safeFrom),
      finalFromUsd: writeCents(settings.finality.finalFrom),
    },
    taxRates: settings.taxRates.map((rate) => ({ ...rate, components: [...rate.components] })),
    embedOrigins: [...settings.embedOrigins],
    updatedAt: settings.updatedAt ?? null,
  }
}
