import pg from 'pg'

/** The oldest PostgreSQL that the schema and the statements work on. */
export const oldestPostgres = 15

/** A database that cannot be used, with what to do about it; never with the password. */
export class DatabaseUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseUnusable'
  }
}

/** Why a connection to the database of `DATABASE_URL` failed, in words for whoever set it. */
export function explainConnect(error: unknown, url: string): DatabaseUnusable {
  const { code, message } = causeOf(error)
  const { host, port, database, user } = new pg.Client({ connectionString: url })
  const place = `${host}:${port}`
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `nothing listens at ${place}. Is PostgreSQL running, are host and port right, and does it listen there (listen_addresses)?`,
    ENOENT: `there is no socket in ${host}. Is PostgreSQL running, and is that its folder of sockets (unix_socket_directories)?`,
    ENOTFOUND: `the host ${host} is not known. Is its name right, and does this machine find it by DNS?`,
    EAI_AGAIN: `the host ${host} could not be looked up. Does this machine reach its DNS?`,
    '28P01': `PostgreSQL at ${place} does not take the password of user ${user}. Correct it in DATABASE_URL, with special signs percent-encoded, or set it: ALTER ROLE ${user} PASSWORD …`,
    '28000': `PostgreSQL at ${place} does not let user ${user} into database ${database}. Is there such a role, and does pg_hba.conf let it in from here?`,
    '3D000': `PostgreSQL at ${place} has no database ${database}. Create it (createdb -O ${user} ${database}), or correct the name`,
    '42501': `user ${user} may not do this in database ${database}: ${message}. Make it the owner: ALTER DATABASE ${database} OWNER TO ${user}`,
    '53300': `PostgreSQL at ${place} has no connection left. Raise max_connections, or run fewer processes`,
    '57P03': `PostgreSQL at ${place} is just starting up or going down. Start again when it is ready`,
  }
  const reason =
    reasons[code] ??
    (/password must be a (non-empty )?string/.test(message)
      ? `PostgreSQL at ${place} wants a password of user ${user}, and there is none in the URL`
      : /timeout|ETIMEDOUT|EHOSTUNREACH/i.test(`${code} ${message}`)
        ? `${place} does not answer. Are host and port right, is the machine up, and does a firewall let this one through?`
        : `the connection to ${place} failed: ${message}`)
  return new DatabaseUnusable(`DATABASE_URL (database ${database} at ${place}, user ${user}): ${reason}`, {
    cause: error,
  })
}

/** @throws {DatabaseUnusable} where PostgreSQL is older than {@link oldestPostgres}. */
export async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  const version = rows[0]?.server_version ?? ''
  if (Number.parseInt(version, 10) >= oldestPostgres) return
  throw new DatabaseUnusable(
    `DATABASE_URL (database ${client.database} at ${client.host}:${client.port}): PostgreSQL ${version} is too old. ` +
      `Sluice needs ${oldestPostgres} or newer, and is tested on 18: docs/backup.md says how to move`,
  )
}

/** The driver's own error below whatever was made of it. */
function causeOf(error: unknown): { code: string; message: string } {
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown }
  if (typeof code !== 'string' && cause !== undefined) return causeOf(cause)
  return { code: String(code ?? ''), message: String(message ?? error) }
}
