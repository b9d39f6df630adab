import { Outage } from '../kernel/outage.ts'

/** The chain cannot be reached, or what it says cannot be relied on. */
export class ChainUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('chain', message, options)
  }
}
