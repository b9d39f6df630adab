export type Dependency = 'chain' | 'datastore' | 'exchange_rate' | 'provider'

/**
 * A dependency is unavailable. The item or the request is not the cause and may be retried.
 *
 * Each module has its own subclass. `app/http/send-errors` maps it to status 503.
 */
export class Outage extends Error {
  readonly dependency: Dependency

  constructor(dependency: Dependency, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.dependency = dependency
  }
}

/** Returns the error code of an outage, such as `chain_unavailable`. */
export function outageCode({ dependency }: Outage): `${Dependency}_unavailable` {
  return `${dependency}_unavailable`
}
