import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import type { ReceiptNeeds } from '../../../src/receipts/routes.ts'
import type { WebhookNeeds } from '../../../src/webhooks/routes.ts'

/** What the endpoints of feed and delivery log lean on, beside the receipts of `startApi`. */
export function webhookNeeds(needs: ReceiptNeeds): WebhookNeeds {
  return {
    db: needs.db,
    clock: needs.clock,
    random: systemRandom,
    secrets: new Secrets('a master key of the tests, long enough', systemRandom),
    receivers: {
      outbound: new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true }),
      isProduction: false,
      brandKeyOf: async () => 'service',
    },
  }
}
