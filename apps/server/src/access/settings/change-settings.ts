import type { SettingsRequest } from '@sluice/protocol/api/access.ts'
import { parseEmbedOrigin } from '@sluice/protocol/embed-origin.ts'
import { readCents, readDecimal } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput, pathOf } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { lockMembers } from '../../merchants/member-store.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assignAllBut, valuesOf } from '../../platform/database/table.ts'
import { findSettings, type MerchantSettings, type OwnTaxRate, settingsTable } from './find-settings.ts'

/**
 * Changes the given settings and keeps the rest.
 *
 * @throws {ApiError} `invalid_input` if a rate has more than six decimals, a jurisdiction is repeated, the
 * final threshold is below the safe threshold, or an origin is invalid.
 */
export async function changeSettings(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  input: SettingsRequest,
): Promise<MerchantSettings> {
  const finality = input.finality && parseFinality(input.finality)
  const taxRates = input.taxRates && parseTaxRates(input.taxRates)
  const embedOrigins = input.embedOrigins && parseEmbedOrigins(input.embedOrigins)
  return needs.db.transaction(async (tx) => {
    await lockMembers(tx, merchant)
    const before = await findSettings(tx, merchant)
    const after = {
      finality: finality ?? before.finality,
      taxRates: taxRates ?? before.taxRates,
      embedOrigins: embedOrigins ?? before.embedOrigins,
      updatedAt: needs.clock.now(),
    }
    const own = { safeFromCents: finality?.safeFrom, finalFromCents: finality?.finalFrom }
    await tx.run(upsert({ ...after, ...own, merchant }))
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

function parseEmbedOrigins(sent: readonly string[]): string[] {
  const origins = sent.map((text, i) => {
    const origin = parseEmbedOrigin(text)
    if (origin === undefined)
      throw invalidInput({
        path: pathOf('embedOrigins', i),
        message: 'must be an https origin such as https://shop.example, without a path or a wildcard',
      })
    return origin
  })
  return [...new Set(origins)]
}

const upsert = statement({
  name: 'upsert-merchant-settings',
  writes: settingsTable,
  text: `INSERT INTO merchant_settings ${valuesOf(settingsTable)}
    ON CONFLICT (merchant) DO UPDATE SET ${assignAllBut(settingsTable, ['merchant', 'safeFromCents', 'finalFromCents'])},
      safe_from_cents = coalesce(excluded.safe_from_cents, merchant_settings.safe_from_cents),
      final_from_cents = coalesce(excluded.final_from_cents, merchant_settings.final_from_cents)`,
})
