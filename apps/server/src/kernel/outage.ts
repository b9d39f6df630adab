/** What this service depends on and may be without for a while. */
export type Dependency = 'chain' | 'datastore' | 'exchange_rate' | 'provider'

/**
 * Something this service depends on is not available now. It says nothing of the item or the request at hand, which
 * may be tried again.
 *
 * The module that notices it has a class of its own. `app/http/answer-errors` turns it into the contract's code of 503.
 */
export class Outage extends Error {
  readonly dependency: Dependency

  constructor(dependency: Dependency, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.dependency = dependency
  }
}

/** The contract's code for an outage, by which figures count it, too. */
export function outageCode({ dependency }: Outage): `${Dependency}_unavailable` {
  return `${dependency}_unavailable`
}
