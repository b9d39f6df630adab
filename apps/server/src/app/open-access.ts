import { hkdfSync } from 'node:crypto'
import { RequestLog } from '../access/audit/request-log.ts'
import { makeRecentCallers } from '../access/guard/recent-callers.ts'
import { LastUsed } from '../access/keys/last-used.ts'
import { RateLimits } from '../access/limits/rate-limits.ts'
import { RefusedAttempts } from '../access/limits/refused-attempts.ts'
import { makeGate } from '../access/sessions/gate.ts'
import { SessionTokens } from '../access/sessions/session-tokens.ts'
import { Cache } from '../platform/cache/cache.ts'
import { JoiningDatabase } from '../platform/database/joining/joining-database.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { BrandOrigins } from '../site/brand-origins.ts'
import type { ServeNeeds } from './http/serve-route.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/** Everything that decides who gets in. What it answers works in the transaction of an Idempotency-Key. */
export function openAccess(
  world: Runtime,
  config: CompleteConfig,
  secrets: Secrets,
  brandOrigins: BrandOrigins,
): ServeNeeds {
  const db = new JoiningDatabase(world.db)
  return {
    db,
    clock: world.clock,
    secrets,
    gate: makeGate({
      ...config,
      tokens: sessionTokensOf(config),
      isExternal: config.gateway === 'external',
      operators: config.operatorWallets,
      isBrandOrigin: (origin) => brandOrigins.has(origin),
    }),
    limits: new RateLimits(world, config.rateLimitScale),
    refused: new RefusedAttempts({ ...world, secrets }),
    requests: new RequestLog(world),
    recentCallers: makeRecentCallers(world),
    cache: new Cache(world),
    lastUsed: new LastUsed(world),
  }
}

/** Outside production one secret is enough to set: that of sessions follows from the master key. */
function sessionTokensOf({
  jwtSecret,
  oldJwtSecret,
  masterKey,
  oldMasterKey,
}: CompleteConfig): SessionTokens {
  const old = [oldJwtSecret, jwtSecret === undefined && oldMasterKey ? jwtSecretOf(oldMasterKey) : undefined]
  return new SessionTokens(
    jwtSecret ?? jwtSecretOf(masterKey),
    old.filter((secret) => secret !== undefined),
  )
}

function jwtSecretOf(masterKey: string): string {
  return Buffer.from(hkdfSync('sha256', masterKey, 'sluice sessions', 'secret', 32)).toString('base64url')
}
