import { type Static, Type } from 'typebox'

const wholeNumber = Type.String({ pattern: '^[0-9]{1,78}$' })
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })

export const signatureRequest = Type.Object({
  token: Type.String({ maxLength: 16 }),
  payer: Type.String({ maxLength: 42, description: 'The wallet that signs and pays.' }),
})

/** EIP-3009 message for `eth_signTypedData_v4`. Numbers are strings. */
export const authorizationMessage = Type.Object({
  from: address,
  to: address,
  value: wholeNumber,
  validAfter: wholeNumber,
  validBefore: wholeNumber,
  nonce: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
})

/** EIP-2612 message. The spender is an address unique to this payment. */
export const permitMessage = Type.Object({
  owner: address,
  spender: address,
  value: wholeNumber,
  nonce: wholeNumber,
  deadline: wholeNumber,
})

/** Permit2 message with the payment as its witness. Does not name the payer. */
export const permit2Message = Type.Object({
  permitted: Type.Object({ token: address, amount: wholeNumber }),
  spender: address,
  nonce: wholeNumber,
  deadline: wholeNumber,
  witness: Type.Object({ to: address }),
})

const signedMessage = Type.Union([authorizationMessage, permitMessage, permit2Message], {
  description: 'EIP-3009, EIP-2612 or Permit2, depending on the token.',
})

const field = Type.Object({ name: Type.String(), type: Type.String() })

export const signatureRequestView = Type.Object({
  attemptId: Type.String(),
  typedData: Type.Object(
    {
      types: Type.Record(Type.String(), Type.Array(field)),
      primaryType: Type.String(),
      domain: Type.Object({
        name: Type.String(),
        version: Type.Optional(Type.String({ description: 'Absent with Permit2.' })),
        chainId: Type.Integer(),
        verifyingContract: Type.String(),
      }),
      message: signedMessage,
    },
    { description: 'The parameter of `eth_signTypedData_v4`.' },
  ),
  expiresAt: Type.Integer({ description: 'Unix milliseconds. The signature expires at this time.' }),
})

export const signatureSubmission = Type.Object({
  attemptId: Type.String({ maxLength: 64 }),
  authorization: signedMessage,
  payer: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description:
        'The wallet that signed. Required with Permit2, because its message does not include the wallet.',
    }),
  ),
  signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2}){1,4096}$' }),
})

export const signedPaymentView = Type.Object({
  state: Type.Enum(['waiting', 'sent', 'mined', 'failed'], {
    description:
      '`waiting`: not submitted yet; `sent`: submitted to the network; `mined`: the money is at the deposit address; `failed`: no money moved.',
  }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Reason for the failure.' }),
  attemptId: Type.String(),
  payer: Type.String(),
  amount: Type.String({ pattern: '^[0-9]+$', description: 'In base units of the token.' }),
  transactionHash: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.Integer(),
})

export type SignatureRequest = Static<typeof signatureRequest>
export type SignatureRequestView = Static<typeof signatureRequestView>
export type SignatureSubmission = Static<typeof signatureSubmission>
export type SignedPaymentView = Static<typeof signedPaymentView>
