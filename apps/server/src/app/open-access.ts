import { hkdfSync } from 'node:crypto'
import { makeAnchorAuditJob } from '../access/audit/anchor-audit.ts'
import { RequestLog } from '../access/audit/request-log.ts'
import { makeForgetJob } from '../access/forget-old.ts'
import { makeLately } from '../access/guard/lately.ts'
import { makeKeyAuditJob } from '../access/keys/key-audit.ts'
import { makeCountReplicasJob } from '../access/limits/count-replicas.ts'
import { RateLimits } from '../access/limits/rate-limits.ts'
import { RefusedAttempts } from '../access/limits/refused-attempts.ts'
import { makeGate } from '../access/sessions/gate.ts'
import { SessionTokens } from '../access/sessions/session-tokens.ts'
import { JoiningDatabase } from '../platform/database/joining-database.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { BrandOrigins } from '../site/brand-origins.ts'
import type { ServeNeeds } from './http/serve-route.ts'
import type { CompleteConfig, World } from './world.ts'

/** Everything that decides who gets in, and the work it does without being asked. */
export function openAccess(
  world: World,
  config: CompleteConfig,
  secrets: Secrets,
  brandOrigins: BrandOrigins,
): { parts: ServeNeeds; jobs: Job[] } {
  const gate = makeGate({
    ...config,
    tokens: sessionTokensOf(config),
    isExternal: config.gateway === 'external',
    operators: config.operatorWallets,
    isBrandOrigin: (origin) => brandOrigins.has(origin),
  })
  const limits = new RateLimits(world, config.rateLimitScale)
  const requests = new RequestLog(world)
  const refused = new RefusedAttempts({ ...world, secrets })
  return {
    parts: {
      db: new JoiningDatabase(world.db),
      clock: world.clock,
      secrets,
      gate,
      limits,
      refused,
      requests,
      lately: makeLately(world),
    },
    jobs: [
      requests.makeJob(),
      refused.makeJob(),
      makeKeyAuditJob({ ...world, secrets }),
      makeAnchorAuditJob(world),
      makeForgetJob(world),
      makeCountReplicasJob({ ...world, limits }),
      brandOrigins.makeJob(world),
    ],
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
