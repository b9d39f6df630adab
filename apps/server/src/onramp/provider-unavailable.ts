import { Outage } from '../kernel/outage.ts'

/** A card provider does not answer, or not in time, or is not set up as it wants. Nothing is known of the payment. */
export class ProviderUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('provider', message, options)
  }
}
