export type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Limit of the whole request: name lookup, connection, TLS, headers and body. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /**
   * Set if only the status matters: the missing part of a long, late or broken body is then omitted.
   *
   * Otherwise the request fails.
   */
  readonly isBodyOptional?: true
  readonly signal?: AbortSignal
}

export type OutboundError =
  /** `refused-target`: this process may not connect to the URL, or to an address of its host. */
  'refused-target' | 'timeout' | 'network' | 'too-large' | 'aborted'

/** Result of a request. Any status is an answer; redirects are not followed. */
export type OutboundOutcome =
  | {
      readonly kind: 'response'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: Uint8Array
    }
  | {
      readonly kind: 'error'
      readonly error: OutboundError
      /** For logs. May name hosts, but never contains secrets. */
      readonly detail: string
    }

/**
 * Interface for all outgoing HTTP: webhooks, RPC and rates.
 *
 * Faults are return values, because every caller must handle them.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundOutcome>
}
