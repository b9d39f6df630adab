import { type Static, Type } from 'typebox'
import { memberRoles } from './access.ts'
import { invitationToken } from './invitations.ts'

const ok = Type.Literal(true)
const walletText = Type.String({ maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' })
const nonce = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const walletOrNull = Type.Union([Type.String(), Type.Null()])
const role = Type.Enum([...memberRoles, 'operator'])

/** The cookie that carries a session (contract: Authentication). */
export const sessionCookieName = 'cb_auth_token'

/** The same cookie in production: browsers accept it from the host itself only, and not from another of its domain. */
export const hostCookieName = `__Host-${sessionCookieName}`

/** The header without which no session changes anything. */
export const csrfHeaderName = 'x-csrf-token'

/** What a wallet signs to log in: EIP-712, without a chain id in the domain, since wallets refuse to sign for a chain they are not on. */
export const loginTypes = {
  Login: [
    { name: 'wallet', type: 'address' },
    { name: 'host', type: 'string' },
    { name: 'purpose', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'issuedAt', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const

/** The domain of {@link loginTypes}. */
export const loginDomain = { name: 'Sluice', version: '1' } as const

/** The body of POST /api/auth/challenge. */
export const challengeRequest = Type.Object({ address: walletText })

const typedField = Type.Object({ name: Type.String(), type: Type.String() })

/** The typed data as `eth_signTypedData_v4` takes it. */
export const loginTypedData = Type.Object({
  domain: Type.Object({ name: Type.String(), version: Type.String() }),
  types: Type.Object({ EIP712Domain: Type.Array(typedField), Login: Type.Array(typedField) }),
  primaryType: Type.Literal('Login'),
  message: Type.Object({
    wallet: Type.String(),
    host: Type.String(),
    purpose: Type.String(),
    chainId: Type.Integer(),
    nonce,
    issuedAt: Type.Integer({ description: 'Unix milliseconds.' }),
    expiresAt: Type.Integer({ description: 'Unix milliseconds.' }),
  }),
})

/** The answer of POST /api/auth/challenge. */
export const challengeAnswer = Type.Object({ typedData: loginTypedData, expiresAt: Type.Integer() })

/** The body of POST /api/auth/login. Smart accounts sign with more than 65 bytes. */
export const loginRequest = Type.Object({
  address: walletText,
  signature: Type.String({ maxLength: 65_538, pattern: '^0x([0-9a-fA-F]{2})+$' }),
  nonce,
  merchantWallet: Type.Optional(walletText),
  invitation: Type.Optional(
    Type.String({
      ...invitationToken,
      description:
        'The token of an invitation: the wallet becomes a member by it, and the session is for its merchant.',
    }),
  ),
})

/** Who is logged in. `merchantWallet` is null for the platform's operator. */
export const sessionAnswer = Type.Object({
  ok,
  wallet: Type.String(),
  merchantWallet: walletOrNull,
  role,
  csrfToken: Type.String({ description: 'Send it as x-csrf-token with every write.' }),
  expiresAt: Type.Integer({ description: 'Unix milliseconds. The session ends then, even if it is in use.' }),
})

/** A merchant that a wallet may act for. */
export const ownMerchant = Type.Object({
  merchantWallet: Type.Union([Type.String(), Type.Null()], {
    description: 'Null for the platform, where the wallet is an operator.',
  }),
  shopName: Type.Union([Type.String(), Type.Null()]),
  role,
  isCurrent: Type.Boolean({ description: 'Whether the session acts for it.' }),
})

/** The answer of GET /api/auth/merchants: the wallet's own first, then in the order in which it became a member. */
export const ownMerchantList = Type.Object({ merchants: Type.Array(ownMerchant) })

/** The body of POST /api/auth/merchant. */
export const switchMerchantRequest = Type.Object({
  merchantWallet: Type.Union([walletText, Type.Null()], {
    description: 'One of GET /api/auth/merchants; null for the platform.',
  }),
})

/** A session to see and to end. */
export const sessionView = Type.Object({
  id: Type.String(),
  wallet: Type.String(),
  merchantWallet: walletOrNull,
  createdAt: Type.Integer(),
  lastSeenAt: Type.Integer({ description: 'Accurate to the minute.' }),
  expiresAt: Type.Integer(),
  address: Type.String({ description: 'The IP address of the login.' }),
  userAgent: Type.Union([Type.String(), Type.Null()]),
  isCurrent: Type.Boolean(),
})

/** The answer of GET /api/auth/sessions, newest first. */
export const sessionList = Type.Object({ sessions: Type.Array(sessionView) })

/** The answer of DELETE /api/auth/sessions. */
export const endSessionsAnswer = Type.Object({ ok, ended: Type.Integer() })

export type SessionAnswer = Static<typeof sessionAnswer>
export type LoginTypedData = Static<typeof loginTypedData>
