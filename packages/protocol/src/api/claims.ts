import { type Static, Type } from 'typebox'

const walletText = Type.String({ maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' })
const nonce = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const nullableText = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], { ...(description && { description }) })

export const claimLimits = { contact: 254, note: 500 } as const

export const claimView = Type.Object({
  id: Type.String({ description: 'The case number. The buyer has the same number.' }),
  isProven: Type.Boolean({
    description:
      "Whether the payer's wallet has signed the claim. All other fields are unverified: check them before you refund.",
  }),
  wallet: nullableText("The payer's wallet, which signed the claim."),
  refundAddress: Type.String({ description: 'Address for a refund.' }),
  contact: nullableText('Contact details of the buyer: untrusted plain text.'),
  note: nullableText('Description of the payment by the buyer: untrusted plain text.'),
  at: Type.Integer({ description: 'Unix time in milliseconds' }),
})

export type ClaimView = Static<typeof claimView>

export const unmatchedClaims = {
  claim: Type.Union([claimView, Type.Null()], {
    description: 'The most relevant claim: the proven one, or the oldest if none is proven.',
  }),
  otherClaims: Type.Array(claimView, { description: 'Other claims, oldest first; at most five.' }),
}

const claimedPayment = {
  transactionHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  logIndex: Type.Integer({
    minimum: -1,
    maximum: 2_147_483_647,
    description: 'The log of the transfer; -1 for a plain transfer of the native token.',
  }),
}

export const claimTypes = {
  Claim: [
    { name: 'wallet', type: 'address' },
    { name: 'host', type: 'string' },
    { name: 'purpose', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'transactionHash', type: 'bytes32' },
    { name: 'logIndex', type: 'int256' },
    { name: 'refundAddress', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'issuedAt', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const

export const claimChallengeRequest = Type.Object({
  ...claimedPayment,
  wallet: walletText,
  refundAddress: Type.Optional(
    Type.String({
      maxLength: 42,
      description: 'Address for a refund. Defaults to `wallet`.',
    }),
  ),
})

const typedField = Type.Object({ name: Type.String(), type: Type.String() })

export const claimTypedData = Type.Object({
  domain: Type.Object({ name: Type.String(), version: Type.String() }),
  types: Type.Object({ EIP712Domain: Type.Array(typedField), Claim: Type.Array(typedField) }),
  primaryType: Type.Literal('Claim'),
  message: Type.Object({
    wallet: Type.String(),
    host: Type.String(),
    purpose: Type.String(),
    chainId: Type.Integer(),
    transactionHash: Type.String(),
    logIndex: Type.Integer(),
    refundAddress: Type.String(),
    nonce,
    issuedAt: Type.Integer({ description: 'Unix milliseconds.' }),
    expiresAt: Type.Integer({ description: 'Unix milliseconds.' }),
  }),
})

export type ClaimTypedData = Static<typeof claimTypedData>

export const claimChallengeResponse = Type.Object({ typedData: claimTypedData, expiresAt: Type.Integer() })

/** A signature proves the claim. Without a signature, an address and a contact are required. */
export const claimRequest = Type.Object({
  ...claimedPayment,
  proof: Type.Optional(
    Type.Object({
      wallet: walletText,
      nonce,
      signature: Type.String({ maxLength: 65_538, pattern: '^0x([0-9a-fA-F]{2})+$' }),
    }),
  ),
  refundAddress: Type.Optional(
    Type.String({
      maxLength: 42,
      description: 'Required without `proof`. With `proof`, the signed address is used.',
    }),
  ),
  contact: Type.Optional(
    Type.String({ maxLength: claimLimits.contact, description: 'Required without `proof`.' }),
  ),
  note: Type.Optional(Type.String({ maxLength: claimLimits.note })),
})

export type ClaimRequest = Static<typeof claimRequest>

export const claimResponse = Type.Object({
  ok: Type.Literal(true),
  caseId: Type.String(),
  caseUrl: Type.String({ description: 'The page where the buyer can follow the case.' }),
})
