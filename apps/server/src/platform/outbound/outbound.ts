/** One HTTP request to the world outside. */
export type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For all of it: name, connection, TLS, headers and body. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /**
   * Set if the status is the answer: a body that is longer, does not end in time or breaks off is left out as far as
   * it is missing. Otherwise the request fails.
   */
  readonly isBodyOptional?: true
  readonly signal?: AbortSignal
}

/** Why no answer came. */
export type OutboundFault =
  /** The URL, or an address behind its name, is not one this process may connect to. */
  | 'refused-target'
  | 'timeout'
  /** No such name, no connection, bad TLS, a broken answer. */
  | 'network'
  | 'too-large'
  /** The request's own `signal`. */
  | 'aborted'

/** What a request came to. Any status is an answer, redirects too: they are not followed. */
export type OutboundOutcome =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
    }
  | {
      readonly kind: 'fault'
      readonly fault: OutboundFault
      /** For logs; may name hosts, never secrets. */
      readonly detail: string
    }

/**
 * The seam for all HTTP that leaves this process: webhooks, RPC, rates.
 *
 * Faults are values, since every caller has to do something about them.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundOutcome>
}
