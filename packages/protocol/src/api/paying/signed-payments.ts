import { type Static, Type } from 'typebox'

const wholeNumber = Type.String({ pattern: '^[0-9]{1,78}$' })
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })

/** The body of POST /api/checkout/{id}/signature-request. */
export const signatureRequest = Type.Object({
  token: Type.String({ maxLength: 16 }),
  payer: Type.String({ maxLength: 42, description: 'The wallet that signs, and whose tokens pay.' }),
})

/** The message of EIP-3009, as `eth_signTypedData_v4` takes it: numbers are texts. */
export const authorizationMessage = Type.Object({
  from: address,
  to: address,
  value: wholeNumber,
  validAfter: wholeNumber,
  validBefore: wholeNumber,
  nonce: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
})

/** The message of EIP-2612, likewise. The spender is an address that stands for this one payment. */
export const permitMessage = Type.Object({
  owner: address,
  spender: address,
  value: wholeNumber,
  nonce: wholeNumber,
  deadline: wholeNumber,
})

/** The message of Permit2 with the payment as its witness, likewise. It names no payer. */
export const permit2Message = Type.Object({
  permitted: Type.Object({ token: address, amount: wholeNumber }),
  spender: address,
  nonce: wholeNumber,
  deadline: wholeNumber,
  witness: Type.Object({ to: address }),
})

const signedMessage = Type.Union([authorizationMessage, permitMessage, permit2Message], {
  description: 'EIP-3009, EIP-2612 or Permit2, as the token has it.',
})

const field = Type.Object({ name: Type.String(), type: Type.String() })

/** What a wallet is to sign. */
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
  expiresAt: Type.Integer({ description: 'When the signature ends, in Unix milliseconds.' }),
})

/** The body of POST /api/checkout/{id}/signatures. */
export const signatureSubmission = Type.Object({
  attemptId: Type.String({ maxLength: 64 }),
  authorization: signedMessage,
  payer: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'The wallet that signed. Needed with Permit2, whose message does not name it.',
    }),
  ),
  signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2}){1,4096}$' }),
})

/** A payment that the buyer signed and the service submits. */
export const signedPaymentView = Type.Object({
  state: Type.Enum(['waiting', 'sent', 'mined', 'failed'], {
    description:
      '`waiting` to be submitted, `sent` to the network, `mined`: the money is at the deposit address, `failed`: it was not moved.',
  }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
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
