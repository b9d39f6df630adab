import pg from 'pg'

export const oldestPostgres = 15

export class DatabaseUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseUnusable'
  }
}

export function explainConnect(error: unknown, url: string): DatabaseUnusable {
  const { code, message } = causeOf(error)
  const { host, port, database, user } = new pg.Client({ connectionString: url })
  const place = `${host}:${port}`
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `nothing listens on ${place}. Is PostgreSQL running, are host and port correct, and does it listen there (listen_addresses)?`,
    ENOENT: `there is no socket in ${host}. Is PostgreSQL running, and is that its socket directory (unix_socket_directories)?`,
    ENOTFOUND: `the host ${host} is unknown. Is the name correct, and can this machine resolve it?`,
    EAI_AGAIN: `the host ${host} could not be resolved. Can this machine reach its DNS server?`,
    '28P01': `PostgreSQL at ${place} rejects the password of user ${user}. Correct it in DATABASE_URL, with special characters percent-encoded, or set it: ALTER ROLE ${user} PASSWORD …`,
    '28000': `PostgreSQL at ${place} does not let user ${user} connect to database ${database}. Does the role exist, and does pg_hba.conf allow it from here?`,
    '3D000': `PostgreSQL at ${place} has no database ${database}. Create it (createdb -O ${user} ${database}), or correct the name`,
    '42501': `user ${user} lacks a permission in database ${database}: ${message}. Make it the owner: ALTER DATABASE ${database} OWNER TO ${user}`,
    '53300': `PostgreSQL at ${place} has no connections left. Raise max_connections, or run fewer processes`,
    '57P03': `PostgreSQL at ${place} is starting up or shutting down. Start again when it is ready`,
  }
  const reason =
    reasons[code] ??
    (/password must be a (non-empty )?string/.test(message)
      ? `PostgreSQL at ${place} requires a password for user ${user}, and the URL has none`
      : /timeout|ETIMEDOUT|EHOSTUNREACH/i.test(`${code} ${message}`)
        ? `${place} does not respond. Are host and port correct, is the machine up, and does a firewall block this one?`
        : `the connection to ${place} failed: ${message}`)
  return new DatabaseUnusable(`DATABASE_URL (database ${database} at ${place}, user ${user}): ${reason}`, {
    cause: error,
  })
}

/** @throws {DatabaseUnusable} if PostgreSQL is older than {@link oldestPostgres}. */
export async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  const version = rows[0]?.server_version ?? ''
  if (Number.parseInt(version, 10) >= oldestPostgres) return
  throw new DatabaseUnusable(
    `DATABASE_URL (database ${client.database} at ${client.host}:${client.port}): PostgreSQL ${version} is too old. ` +
      `Sluice requires ${oldestPostgres} or newer and is tested on 18: docs/backup.md describes the upgrade`,
  )
}

function causeOf(error: unknown): { code: string; message: string } {
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown }
  if (typeof code !== 'string' && cause !== undefined) return causeOf(cause)
  return { code: String(code ?? ''), message: String(message ?? error) }
}
