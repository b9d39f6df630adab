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

/** The keys that follow from one secret. */
type Keys = { readonly sign: Uint8Array; readonly csrf: Uint8Array }

/** Makes and reads the tokens of sessions, and the CSRF tokens that go with them. */
export class SessionTokens {
  readonly #keys: Keys
  /** Ours and those before: what any of them made is read. */
  readonly #known: readonly Keys[]

  /**
   * @param secret - At least 32 signs; the two keys used follow from it.
   * @param old - Secrets before it: their sessions go on, and get tokens of the new one as they are used.
   */
  constructor(secret: string, old: readonly string[] = []) {
    this.#keys = keysOf(secret)
    this.#known = [this.#keys, ...old.map(keysOf)]
  }

  /** A JWT over the claims, good for fifteen minutes. */
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
   * What a token that we made says, `undefined` for any other. How old it may be is judged with the session's
   * row, by {@link import('./session.ts').isSessionAlive}: an old one may still be renewed.
   */
  async read(token: string): Promise<SessionClaims | undefined> {
    for (const { sign } of this.#known) {
      const claims = await readUnder(sign, token)
      if (claims) return claims
    }
    return undefined
  }

  /** What a page of the session sends in `x-csrf-token`: the same for as long as the session and the secret last. */
  csrfToken(sessionId: string): string {
    return csrfUnder(this.#keys.csrf, sessionId)
  }

  /** Whether `sent` is the session's CSRF token, in constant time. */
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
