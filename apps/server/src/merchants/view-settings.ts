import type { SettingsView } from '@sluice/protocol/api/access.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import type { MerchantSettings } from './find-settings.ts'

/** Settings as the API shows them. */
export function viewSettings(settings: MerchantSettings): SettingsView {
  return {
    finality: {
      safeFromUsd: writeCents(settings.finality.safeFrom),
      finalFromUsd: writeCents(settings.finality.finalFrom),
    },
    taxRates: settings.taxRates.map((rate) => ({ ...rate, components: [...rate.components] })),
    notificationAddress: settings.notificationAddress ?? null,
    embedOrigins: [...settings.embedOrigins],
    updatedAt: settings.updatedAt ?? null,
  }
}
