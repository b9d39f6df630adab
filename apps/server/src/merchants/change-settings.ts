import type { SettingsRequest } from '@sluice/protocol/api/access.ts'
import { readCents, readDecimal } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { pathOf } from '../kernel/field-path.ts'
import { invalidInput } from '../kernel/refusal.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { findSettings, type MerchantSettings, type OwnTaxRate } from './find-settings.ts'
import { lockMembers } from './member-store.ts'

/**
 * Changes what is given and keeps the rest.
 *
 * @throws {Refusal} `invalid_input` where a rate has more than six decimals, a jurisdiction appears twice,
 * or a payment would have to be final sooner than safe.
 */
export async function changeSettings(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  input: SettingsRequest,
): Promise<MerchantSettings> {
  const finality = input.finality && parseFinality(input.finality)
  const taxRates = input.taxRates && parseTaxRates(input.taxRates)
  return needs.db.transaction(async (tx) => {
    await lockMembers(tx, merchant)
    const before = await findSettings(tx, merchant)
    const { notificationAddress } = input
    const after: MerchantSettings = {
      finality: finality ?? before.finality,
      taxRates: taxRates ?? before.taxRates,
      notificationAddress:
        notificationAddress === undefined ? before.notificationAddress : (notificationAddress ?? undefined),
      updatedAt: needs.clock.now(),
    }
    await tx.run(
      upsert({
        merchant,
        safeFromCents: finality?.safeFrom,
        finalFromCents: finality?.finalFrom,
        taxRates: JSON.stringify(after.taxRates),
        notificationAddress: after.notificationAddress,
        updatedAt: needs.clock.now(),
      }),
    )
    return after
  })
}

function parseFinality(sent: { safeFromUsd: number; finalFromUsd: number }) {
  const read = (path: 'safeFromUsd' | 'finalFromUsd') => {
    const cents = readCents(sent[path])
    if (typeof cents !== 'bigint')
      throw invalidInput({
        path: pathOf('finality', path),
        message: 'must be an amount with at most two decimals',
      })
    return cents
  }
  const finality = { safeFrom: read('safeFromUsd'), finalFrom: read('finalFromUsd') }
  if (finality.safeFrom > finality.finalFrom)
    throw invalidInput({ path: pathOf('finality', 'safeFromUsd'), message: 'must not be above finalFromUsd' })
  return finality
}

function parseTaxRates(
  sent: readonly { jurisdictionCode: string; rate: number; components?: string[] }[],
): OwnTaxRate[] {
  const seen = new Set<string>()
  return sent.map(({ jurisdictionCode, rate, components = [] }, i) => {
    const code = jurisdictionCode.toUpperCase()
    if (seen.has(code))
      throw invalidInput({ path: pathOf('taxRates', i, 'jurisdictionCode'), message: 'appears twice' })
    seen.add(code)
    if (typeof readDecimal(rate, 6) !== 'bigint')
      throw invalidInput({ path: pathOf('taxRates', i, 'rate'), message: 'must have at most six decimals' })
    return { jurisdictionCode: code, rate, components }
  })
}

const upsert = statement({
  name: 'upsert-merchant-settings',
  text: `INSERT INTO merchant_settings
      (merchant, safe_from_cents, final_from_cents, tax_rates, notification_address, updated_at)
    VALUES (:merchant, :safeFromCents, :finalFromCents, :taxRates, :notificationAddress, :updatedAt)
    ON CONFLICT (merchant) DO UPDATE SET
      safe_from_cents = coalesce(excluded.safe_from_cents, merchant_settings.safe_from_cents),
      final_from_cents = coalesce(excluded.final_from_cents, merchant_settings.final_from_cents), tax_rates = excluded.tax_rates,
      notification_address = excluded.notification_address, updated_at = excluded.updated_at`,
})
