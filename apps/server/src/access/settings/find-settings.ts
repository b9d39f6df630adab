import type { SettingsView } from '@sluice/protocol/api/access.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, texts, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'

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
  /** Origins whose pages may show the checkout in a frame. */
  readonly embedOrigins: readonly string[]
  readonly updatedAt: UnixMs | undefined
}

/** What holds for a merchant that has said nothing (decisions: Payments on chain, Finality by amount). */
export const defaultSettings: MerchantSettings = {
  finality: { safeFrom: 10_000n as Cents, finalFrom: 100_000n as Cents },
  taxRates: [],
  embedOrigins: [],
  updatedAt: undefined,
}

/** The settings of a merchant. */
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

/** The amounts a merchant has set itself, or `undefined` where the deployment's hold. */
export async function findOwnFinality(
  db: Database,
  merchant: Wallet,
): Promise<MerchantSettings['finality'] | undefined> {
  const row = await db.row(find({ merchant }))
  if (!row || row.safeFromCents === undefined || row.finalFromCents === undefined) return undefined
  return { safeFrom: row.safeFromCents as Cents, finalFrom: row.finalFromCents as Cents }
}

/** The merchant's own rate for a jurisdiction in capitals, else for its country, or `undefined`. */
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
  /** Absent where the deployment's hold. */
  readonly safeFromCents: Cents | undefined
  readonly finalFromCents: Cents | undefined
  readonly updatedAt: UnixMs
}

/** How settings are stored. */
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

/** Settings as the API shows them. */
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
