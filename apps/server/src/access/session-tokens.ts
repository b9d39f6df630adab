import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { compactVerify, SignJWT } from 'jose'

/** How long a token is good by itself (decisions: Access, Login). */
export const tokenLifeMs = 15 * 60_000

/** What a session's token says. It proves nothing without the session's row, which can be revoked. */
export type SessionClaims = {
  readonly sessionId: string
  readonly wallet: Wallet
  readonly merchant: Wallet | undefined
  readonly issuedAt: UnixMs
}

const algorithm = 'HS256'
const audience = 'sluice-session'

/** Makes and reads the tokens of sessions, and the CSRF tokens that go with them. */
export class SessionTokens {
  readonly #signKey: Uint8Array
  readonly #csrfKey: Uint8Array

  /** @param secret - At least 32 signs; the two keys used follow from it. */
  constructor(secret: string) {
    const derive = (use: string) => new Uint8Array(hkdfSync('sha256', secret, 'sluice sessions', use, 32))
    this.#signKey = derive('token')
    this.#csrfKey = derive('csrf')
  }

  /** A JWT over the claims, good for fifteen minutes. */
  make({ sessionId, wallet, merchant, issuedAt }: SessionClaims): Promise<string> {
    return new SignJWT({ sid: sessionId, ...(merchant && { mer: merchant }), iatMs: issuedAt })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(wallet)
      .setAudience(audience)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor((issuedAt + tokenLifeMs) / 1000))
      .sign(this.#signKey)
  }

  /**
   * What a token that we made says, `undefined` for any other. How old it may be is judged with the session's
   * row, by {@link import('./session.ts').isSessionAlive}: an old one may still be renewed.
   */
  async read(token: string): Promise<SessionClaims | undefined> {
    try {
      const { payload } = await compactVerify(token, this.#signKey, { algorithms: [algorithm] })
      const { sid, sub, mer, aud, iatMs } = JSON.parse(new TextDecoder().decode(payload))
      const wallet = parseWallet(sub)
      if (aud !== audience || typeof sid !== 'string' || !wallet || !Number.isSafeInteger(iatMs))
        return undefined
      return { sessionId: sid, wallet, merchant: parseWallet(mer), issuedAt: iatMs as UnixMs }
    } catch {
      return undefined
    }
  }

  /** What a page of the session sends in `x-csrf-token`: the same for as long as the session lasts. */
  csrfToken(sessionId: string): string {
    return createHmac('sha256', this.#csrfKey).update(sessionId).digest('base64url')
  }

  /** Whether `sent` is the session's CSRF token, in constant time. */
  isCsrfToken(sessionId: string, sent: string): boolean {
    const right = Buffer.from(this.csrfToken(sessionId))
    const given = Buffer.from(sent)
    return given.length === right.length && timingSafeEqual(given, right)
  }
}
