import type { OpenCard } from '../pages/register-card.ts'
import { openSession } from '../payments/cards/open-session.ts'
import { getPayableReceipt } from '../payments/checkout/find-checkout.ts'
import { checkoutParts, type RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

/** Opens the card session of a receipt for a buyer's page; gives the address of the provider's page. */
export async function openCard(
  parts: RouteParts,
  config: CompleteConfig,
  request: Parameters<OpenCard>[0],
): Promise<string> {
  const receipt = await getPayableReceipt(parts, request.id, request)
  return (await openSession(checkoutParts(parts, config), receipt, request.clientAddress)).url
}
