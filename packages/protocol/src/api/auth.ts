import { type Static, Type } from 'typebox'
import { memberRoles } from './access.ts'
import { invitationToken } from './invitations.ts'

const ok = Type.Literal(true)
const walletText = Type.String({ maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' })
const nonce = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const walletOrNull = Type.Union([Type.String(), Type.Null()])
const role = Type.Enum([...memberRoles, 'operator'])

export const sessionCookieName = 'cb_auth_token'

/**
 * Session cookie in production. Browsers accept the prefix only from the host itself, not from another
 * subdomain.
 */
export const hostCookieName = `__Host-${sessionCookieName}`

/** Header that every session write requires. */
export const csrfHeaderName = 'x-csrf-token'

/**
 * EIP-712 type of a login. The domain has no chain id, because wallets reject a chain other than their
 * current one.
 */
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

export const loginDomain = { name: 'Sluice', version: '1' } as const

export const challengeRequest = Type.Object({ address: walletText })

const typedField = Type.Object({ name: Type.String(), type: Type.String() })

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

export const challengeResponse = Type.Object({ typedData: loginTypedData, expiresAt: Type.Integer() })

/** Body of POST /api/auth/login. Smart accounts sign with more than 65 bytes. */
export const loginRequest = Type.Object({
  address: walletText,
  signature: Type.String({ maxLength: 65_538, pattern: '^0x([0-9a-fA-F]{2})+$' }),
  nonce,
  merchantWallet: Type.Optional(walletText),
  invitation: Type.Optional(
    Type.String({
      ...invitationToken,
      description:
        'The token of an invitation. The wallet becomes a member of its merchant, and the session is for that merchant.',
    }),
  ),
})

export const sessionResponse = Type.Object({
  ok,
  wallet: Type.String(),
  merchantWallet: walletOrNull,
  role,
  csrfToken: Type.String({ description: 'Send this token as x-csrf-token with every write.' }),
  expiresAt: Type.Integer({
    description: 'Unix milliseconds. The session ends at this time, even if it is in use.',
  }),
})

export const ownMerchant = Type.Object({
  merchantWallet: Type.Union([Type.String(), Type.Null()], {
    description: 'Null for the platform, where the wallet is an operator.',
  }),
  shopName: Type.Union([Type.String(), Type.Null()]),
  role,
  isCurrent: Type.Boolean({ description: 'Whether this is the merchant of the session.' }),
})

/** Response of GET /api/auth/merchants: the wallet's own merchant first, then by time of joining. */
export const ownMerchantList = Type.Object({ merchants: Type.Array(ownMerchant) })

export const switchMerchantRequest = Type.Object({
  merchantWallet: Type.Union([walletText, Type.Null()], {
    description: 'A merchant from GET /api/auth/merchants; null for the platform.',
  }),
})

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

export const sessionList = Type.Object({ sessions: Type.Array(sessionView) })

export const endSessionsResponse = Type.Object({ ok, ended: Type.Integer() })

export type SessionResponse = Static<typeof sessionResponse>
export type LoginTypedData = Static<typeof loginTypedData>
