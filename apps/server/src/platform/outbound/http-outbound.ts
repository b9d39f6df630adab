import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Clock } from '../../kernel/clock.ts'
import { refuseInsideTransaction } from '../database/inside-transaction.ts'
import { Hosts } from './hosts.ts'
import { type ConnectorOptions, type TargetRules, validateTarget } from './make-connector.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from './outbound.ts'
import { sendRequest } from './send-request.ts'

export type HttpOutboundOptions = ConnectorOptions

/**
 * {@link Outbound} over real sockets.
 *
 * With `targets: 'public'`, the socket's own lookup validates every address, so that a DNS answer cannot
 * change between the check and the connection. A name is refused if any of its addresses is not public.
 */
export class HttpOutbound implements Outbound {
  readonly #clock: Clock
  readonly #rules: TargetRules
  readonly #hosts: Hosts

  constructor(needs: { clock: Clock }, options: HttpOutboundOptions) {
    this.#clock = needs.clock
    this.#rules = { targets: options.targets, allowHttp: options.allowHttp }
    this.#hosts = new Hosts(needs, options)
  }

  get hostCount(): number {
    return this.#hosts.count
  }

  async request(request: OutboundRequest): Promise<OutboundOutcome> {
    refuseInsideTransaction('the network')
    const target = validateTarget(request.url, this.#rules)
    if (typeof target === 'string') return { kind: 'error', error: 'refused-target', detail: target }
    const invalid = findInvalidHeader(request)
    if (invalid) return { kind: 'error', error: 'network', detail: `invalid header ${invalid}` }
    return await sendRequest({ hosts: this.#hosts, clock: this.#clock }, target, request)
  }

  async close(): Promise<void> {
    await this.#hosts.close()
  }
}

/**
 * Returns the name of a header that cannot be sent. With such a header, the pool would never reuse its
 * connection.
 */
function findInvalidHeader({ headers = {} }: OutboundRequest): string | undefined {
  return Object.entries(headers).find(([name, value]) => {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      return false
    } catch {
      return true
    }
  })?.[0]
}
