/** The value of `reason` in an answer given without the datastore (contract: Errors, Degraded mode). */
export const degradedReason = 'datastore_unavailable'

/** What a degraded answer says beside its content. */
export const degradedMark = { degraded: true, reason: degradedReason } as const

/**
 * Whether PostgreSQL cannot be reached, or is just going down or coming up: connection failures and its own
 * shutting down. A bad statement is a defect of ours, not an outage.
 */
export function isDatastoreOutage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return outageCodes.test(code)
  return typeof message === 'string' && outageMessages.test(message)
}

const outageCodes =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EHOSTUNREACH)$/

const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/
