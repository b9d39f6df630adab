import { Outage } from '../../kernel/outage.ts'

/** There is no exchange rate to price or to measure by. */
export class RateUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('exchange_rate', message, options)
  }
}
