import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const text = (maxLength: number) => Type.String({ maxLength })
const maybe = (maxLength: number) => Type.Optional(Type.Union([text(maxLength), Type.Null()]))
const anything = Type.Optional(Type.Unknown())

/**
 * Session fields that this service reads (docs.stripe.com/api/crypto/onramp_sessions/object). Amounts are
 * decimal strings. Other fields are ignored, especially `client_secret`.
 */
const sessionObject = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  object: Type.Literal('crypto.onramp_session'),
  created: Type.Integer({ minimum: 0, maximum: 1e11 }),
  livemode: Type.Boolean(),
  status: text(64),
  metadata: Type.Optional(Type.Union([Type.Record(text(64), text(512)), Type.Null()])),
  redirect_url: maybe(4_096),
  /** `us_bank_account` for a bank payment. Only some integrations return this field. */
  payment_method: anything,
  transaction_details: Type.Object({
    destination_amount: maybe(64),
    destination_currency: maybe(32),
    destination_network: maybe(32),
    wallet_address: maybe(128),
    source_amount: maybe(64),
    source_currency: maybe(32),
    transaction_id: maybe(512),
    fees: Type.Optional(
      Type.Union([
        Type.Object({
          network_fee_amount: maybe(64),
          network_fee_monetary: maybe(64),
          transaction_fee_amount: maybe(64),
          transaction_fee_monetary: maybe(64),
        }),
        Type.Null(),
      ]),
    ),
    /** Code, or an object with a code. */
    last_error: anything,
  }),
})
const check = Compile(sessionObject)

export type StripeSession = Static<typeof sessionObject>

export function readSession(value: unknown): StripeSession | undefined {
  return check.Check(value) ? value : undefined
}

const listObject = Compile(
  Type.Object({ data: Type.Array(Type.Unknown(), { maxItems: 100 }), has_more: Type.Boolean() }),
)

/**
 * Parses a page of Stripe's list. Skips entries that are not valid sessions. Returns `undefined` if the page
 * is malformed.
 */
export function readList(
  value: unknown,
): { readonly sessions: readonly StripeSession[]; readonly lastId: string | undefined } | undefined {
  if (!listObject.Check(value)) return undefined
  const last = value.data.at(-1) as { readonly id?: unknown } | undefined
  const lastId = value.has_more && typeof last?.id === 'string' ? last.id : undefined
  return { sessions: value.data.flatMap((each) => readSession(each) ?? []), lastId }
}
