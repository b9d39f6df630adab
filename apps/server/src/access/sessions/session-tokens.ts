import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { compactVerify, SignJWT } from 'jose'

export const tokenLifeMs = 15 * 60_000

/** Unverified until the session's row, which can be revoked, is read. */
export type SessionClaims = {
  readonly sessionId: string
  readonly wallet: Wallet
  readonly merchant: Wallet | undefined
  readonly issuedAt: UnixMs
}

const algorithm = 'HS256'
const audience = 'sluice-session'

type Keys = { readonly sign: Uint8Array; readonly csrf: Uint8Array }

/** Issues and verifies session tokens (JWT, 15 minutes) and their CSRF tokens. */
export class SessionTokens {
  readonly #keys: Keys
  /** Current and former keys. Tokens signed with any of them are accepted. */
  readonly #known: readonly Keys[]

  /**
   * @param secret - At least 32 characters. Both keys are derived from it.
   * @param old - Former secrets. Their sessions stay valid and get new tokens on use.
   */
  constructor(secret: string, old: readonly string[] = []) {
    this.#keys = keysOf(secret)
    this.#known = [this.#keys, ...old.map(keysOf)]
  }

  make({ sessionId, wallet, merchant, issuedAt }: SessionClaims): Promise<string> {
    return new SignJWT({ sid: sessionId, ...(merchant && { mer: merchant }), iatMs: issuedAt })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(wallet)
      .setAudience(audience)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor((issuedAt + tokenLifeMs) / 1000))
      .sign(this.#keys.sign)
  }

  /**
   * Returns the claims of a token signed by this service, or `undefined`.
   *
   * Does not check the age: {@link import('./session.ts').isSessionAlive} does, because an old token may
   * still be renewed.
   */
  async read(token: string): Promise<SessionClaims | undefined> {
    for (const { sign } of this.#known) {
      const claims = await readUnder(sign, token)
      if (claims) return claims
    }
    return undefined
  }

  /** Returns the session's `x-csrf-token`, which depends only on the session and the secret. */
  csrfToken(sessionId: string): string {
    return csrfUnder(this.#keys.csrf, sessionId)
  }

  isCsrfToken(sessionId: string, sent: string): boolean {
    const given = Buffer.from(sent)
    return this.#known.some(({ csrf }) => {
      const right = Buffer.from(csrfUnder(csrf, sessionId))
      return given.length === right.length && timingSafeEqual(given, right)
    })
  }
}

function keysOf(secret: string): Keys {
  const derive = (use: string) => new Uint8Array(hkdfSync('sha256', secret, 'sluice sessions', use, 32))
  return { sign: derive('token'), csrf: derive('csrf') }
}

function csrfUnder(key: Uint8Array, sessionId: string): string {
  return createHmac('sha256', key).update(sessionId).digest('base64url')
}

async function readUnder(key: Uint8Array, token: string): Promise<SessionClaims | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] })
    const { sid, sub, mer, aud, iatMs } = JSON.parse(new TextDecoder().decode(payload))
    const wallet = parseWallet(sub)
    if (aud !== audience || typeof sid !== 'string' || !wallet || !Number.isSafeInteger(iatMs))
      return undefined
    return { sessionId: sid, wallet, merchant: parseWallet(mer), issuedAt: iatMs as UnixMs }
  } catch {
    return undefined
  }
}
