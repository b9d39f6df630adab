import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import { acceptInvitation } from '../../merchants/accept-invitation.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import { BadCredential } from '../credentials.ts'
import { keepSecretResponse, refuseRepeat } from '../idempotency/idempotency.ts'
import type { KeyedRequest } from '../route.ts'

import { checkSignature, recordOwnSigner } from './check-signature.ts'
import { chooseMerchant, type Signups, type Standing } from './choose-merchant.ts'
import type { Gate } from './gate.ts'
import {
  challengeLifeMs,
  hashLogin,
  insertChallenge,
  type LoginChallenge,
  takeChallenge,
} from './login-challenge.ts'
import type { Session } from './session.ts'
import { insertSession, revokeSessions } from './session-store.ts'

export type LoginNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly chain: Pick<Chain, 'id' | 'callCode' | 'isCorroborated'>
  readonly gate: Gate
}

export type Login = {
  readonly wallet: Wallet
  readonly signature: Hex
  readonly nonce: string
  readonly merchant: Wallet | undefined
  /** Invitation token. The invitation determines the merchant. */
  readonly invitation?: string | undefined
}

export type LoginOrigin = {
  readonly host: string
  readonly address: string
  readonly userAgent: string | undefined
  readonly correlationId: string
  /** The browser's former session, to be revoked. */
  readonly formerSessionId: string | undefined
  readonly idempotencyKey: string | undefined
}

/**
 * Logs in a wallet that signed a challenge.
 *
 * Consumes the challenge before any check, so that it allows one attempt only.
 *
 * See docs/contract.md#sessions.
 *
 * @throws {ApiError} `unauthorized` ({@link BadCredential}) unless the challenge is open, matches wallet, host
 * and chain, and is signed; `forbidden` if the wallet may not act for the merchant or the invitation is
 * invalid; `chain_unavailable` if a contract wallet cannot be verified; `idempotency_conflict` for a repeat
 * of a login.
 */
export async function logIn(
  needs: LoginNeeds,
  login: Login,
  origin: LoginOrigin,
  rules: { signups: Signups },
): Promise<{ session: Session; standing: Standing; token: string }> {
  const keyed =
    origin.idempotencyKey === undefined ? undefined : loginKey(login.wallet, origin.idempotencyKey)
  if (keyed) await refuseRepeat(needs.db, keyed)
  const challenge = await takeChallenge(needs.db, login.nonce)
  const error = challenge ? errorOf(challenge, needs, login, origin) : 'unknown or already used'
  if (!challenge || error) throw failed(`the challenge is ${error}; request a new one`)
  const verdict = await checkSignature(needs, login.wallet, hashLogin(challenge), login.signature)
  if (verdict === 'not-signed' || verdict === 'not-asked') throw failed(refusedBy[verdict])

  const now = needs.clock.now()
  return needs.db.transaction(async (tx) => {
    const isOperator = needs.gate.operators.has(login.wallet)
    const { wallet, invitation } = login
    const joined =
      invitation === undefined ? undefined : await acceptInvitation({ ...needs, tx }, wallet, invitation)
    const standing =
      joined ?? (await chooseMerchant({ ...needs, db: tx }, wallet, login.merchant, { ...rules, isOperator }))
    const session: Session = {
      id: generateId(now, needs.random),
      wallet: login.wallet,
      merchant: standing.merchant,
      createdAt: now,
      lastSeenAt: now,
      tokenAt: now,
      revokedAt: undefined,
      address: origin.address.slice(0, 64),
      userAgent: origin.userAgent?.slice(0, 300),
    }
    if (verdict === 'own-key') await recordOwnSigner(tx, login.wallet, now)
    await insertSession(tx, session)
    if (origin.formerSessionId) await revokeSessions(tx, [origin.formerSessionId], now)
    const act = {
      merchant: standing.merchant ?? 'platform',
      at: now,
      actor: wallet,
      correlationId: origin.correlationId,
    } as const
    if (joined) {
      const details = { role: joined.role, invitation: joined.invitationId }
      await appendAudit({ ...needs, tx }, { ...act, action: 'member.joined', subject: wallet, details })
    }
    const details = { role: standing.role, address: session.address }
    await appendAudit({ ...needs, tx }, { ...act, action: 'session.began', subject: session.id, details })
    if (keyed) await keepSecretResponse(tx, keyed, { status: 200, at: now })
    const token = await needs.gate.tokens.make({ ...session, sessionId: session.id, issuedAt: now })
    return { session, standing, token }
  })
}

function loginKey(wallet: Wallet, key: string): KeyedRequest {
  return {
    merchant: wallet,
    method: 'POST',
    path: '/api/auth/login',
    key,
    requestHash: '',
    isSecretResponse: true,
  }
}

function errorOf(
  challenge: LoginChallenge,
  needs: { clock: Clock; chain: Pick<Chain, 'id'> },
  login: Login,
  origin: LoginOrigin,
): string | undefined {
  const now = needs.clock.now()
  if (challenge.wallet !== login.wallet) return "another wallet's"
  if (challenge.host !== origin.host) return "another site's"
  if (challenge.chainId !== needs.chain.id) return "another chain's"
  if (now >= challenge.expiresAt) return 'expired'
  return now < challenge.issuedAt ? 'not open yet' : undefined
}

const refusedBy = {
  'not-signed': 'the challenge was not signed by this wallet',
  'not-asked':
    "the challenge was not signed by this wallet's own key, and this service has too few RPC endpoints to verify a contract wallet",
} as const

function failed(why: string): BadCredential {
  return new BadCredential(`Login failed: ${why}`)
}

/** Creates a login challenge without authentication. The challenge can be used once, within five minutes. */
export async function startLogin(
  needs: { db: Database; clock: Clock; random: Random },
  wallet: Wallet,
  site: { host: string; chainId: number },
): Promise<LoginChallenge> {
  const issuedAt = needs.clock.now()
  const challenge: LoginChallenge = {
    ...site,
    wallet,
    nonce: bytesToHex(needs.random.bytes(32)),
    issuedAt,
    expiresAt: (issuedAt + challengeLifeMs) as UnixMs,
  }
  await insertChallenge(needs.db, challenge)
  return challenge
}
