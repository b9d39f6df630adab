import { type Static, Type } from 'typebox'
import { pageLimit, queryValue } from './documented.ts'
import { jurisdictionText } from './tax.ts'

/**
 * Scopes of subscriptions, and the roles below admin whose sessions have each scope. Owners and admins have
 * all scopes. Cashiers have none: their routes name the role.
 */
export const scopeRoles = {
  'inventory:read': ['developer', 'viewer'],
  'inventory:write': [],
  'orders:create': [],
  'receipts:read': ['developer', 'viewer'],
  'receipts:write': [],
  'shop:read': ['developer', 'viewer'],
  'split:read': ['developer', 'viewer'],
} as const satisfies Readonly<Record<string, readonly ('developer' | 'viewer')[]>>

export type Scope = keyof typeof scopeRoles

export const scopes = Object.keys(scopeRoles) as Scope[]

export const memberRoles = ['owner', 'admin', 'developer', 'cashier', 'viewer'] as const

export type MemberRole = (typeof memberRoles)[number]

export type Role = MemberRole | 'operator'

const unixMs = (description = 'Unix milliseconds.') => Type.Integer({ description })
const unixMsOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const scope = Type.Enum([...scopes])
const memberRole = Type.Enum([...memberRoles])
const walletText = Type.String({ maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' })
const ok = Type.Literal(true)

export const okResponse = Type.Object({ ok })

export const pageQuery = Type.Object({
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 64 })),
})

export const keyView = Type.Object({
  id: Type.String(),
  slot: Type.Union([Type.Literal('primary'), Type.Literal('secondary')]),
  hint: Type.String({ description: 'The prefix and the last four characters.' }),
  createdAt: unixMs(),
  madeBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The member who created it; null if it was created on the command line.',
  }),
})

export const subscriptionView = Type.Object({
  id: Type.String(),
  merchantWallet: Type.String(),
  name: Type.String(),
  scopes: Type.Array(scope),
  mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
  createdAt: unixMs(),
  lastUsedAt: unixMsOrNull('Accurate to the minute.'),
  revokedAt: unixMsOrNull('Both keys stop working at this time.'),
  keys: Type.Array(keyView, { description: 'The active keys; none once the subscription is revoked.' }),
})

export const subscriptionList = Type.Object({ subscriptions: Type.Array(subscriptionView) })

export const createSubscriptionRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  scopes: Type.Optional(
    Type.Array(scope, {
      minItems: 1,
      maxItems: scopes.length,
      description: 'Scopes that your role may grant. Defaults to all of them.',
    }),
  ),
})

/** The keys are returned only once, in this response. */
export const createSubscriptionResponse = Type.Object({
  ok,
  subscription: subscriptionView,
  primaryKey: Type.String(),
  secondaryKey: Type.String(),
})

export const rotateKeyResponse = Type.Object({ ok, key: Type.String() })

export const memberView = Type.Object({
  wallet: Type.String(),
  role: memberRole,
  createdAt: unixMs(),
})

export const memberList = Type.Object({ members: Type.Array(memberView) })

export const memberKey = Type.Object({
  id: Type.String(),
  slot: keyView.properties.slot,
  hint: keyView.properties.hint,
  subscriptionId: Type.String(),
  subscriptionName: Type.String(),
  scopes: Type.Array(scope),
})

const keepSubscriptions = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 200,
    description:
      'Ids of subscriptions to keep even if the member who created them may no longer grant their scopes.',
  }),
)
const revokedKeys = Type.Array(memberKey, {
  description: 'Keys of the member that this change revoked.',
})
const keptKeys = Type.Array(memberKey, {
  description: 'Keys of the member that were kept on request.',
})

export const setMemberRequest = Type.Object({ wallet: walletText, role: memberRole, keepSubscriptions })

export const setMemberResponse = Type.Object({
  ok,
  member: memberView,
  revokedKeys: Type.Optional(revokedKeys),
  keptKeys: Type.Optional(keptKeys),
})

export const removeMemberResponse = Type.Object({ ok, revokedKeys, keptKeys })

export const removeMemberRequest = Type.Union([
  Type.Object({ wallet: Type.Optional(walletText), keepSubscriptions }),
  Type.Undefined(),
])

export const auditEntryView = Type.Object({
  sequence: Type.Integer({ description: 'Sequence number, from 1, without gaps.' }),
  at: unixMs(),
  actor: Type.String({ description: 'A wallet, `subscription:<id>`, `system` or `nobody`.' }),
  action: Type.String({ description: 'For example `subscription.created`.' }),
  subject: Type.String({ description: 'The object of the action.' }),
  details: Type.Record(Type.String(), Type.Unknown()),
  correlationId: Type.Union([Type.String(), Type.Null()]),
  previousHash: Type.String(),
  hash: Type.String({ description: 'HMAC-SHA256 of this entry and the previous hash.' }),
})

export const auditList = Type.Object({
  entries: Type.Array(auditEntryView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

const filterText = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }))
const filterTime = queryValue(Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }), {
  pattern: '^[0-9]{1,15}$',
})

export const auditQuery = Type.Object({
  actor: filterText,
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 64,
      description: 'An action or its prefix: `member.added` or `member`.',
    }),
  ),
  subject: filterText,
  from: filterTime,
  to: filterTime,
  ...pageQuery.properties,
})

export type AuditQuery = Static<typeof auditQuery>

export const requestView = Type.Object({
  at: unixMs(),
  method: Type.String(),
  route: Type.String({ description: 'The path as documented, with placeholders instead of ids.' }),
  status: Type.Integer(),
  correlationId: Type.String(),
  subscriptionId: Type.Union([Type.String(), Type.Null()]),
  keyId: Type.Union([Type.String(), Type.Null()], { description: 'Null for requests with a session.' }),
  wallet: Type.Union([Type.String(), Type.Null()], {
    description: 'The wallet that was logged in; null for a key.',
  }),
  address: Type.String({ description: 'The IP address of the request.' }),
})

export const requestList = Type.Object({
  requests: Type.Array(requestView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export const requestQuery = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 64, description: 'The id of a key or a subscription.' })),
  limit: pageQuery.properties.limit,
  cursor: pageQuery.properties.cursor,
})

const usd = Type.Number({ minimum: 0, maximum: 1_000_000_000 })

export const taxRateSetting = Type.Object({
  jurisdictionCode: Type.String({ maxLength: 8, description: jurisdictionText }),
  rate: Type.Number({ minimum: 0, maximum: 1, description: 'A fraction with at most six decimals.' }),
  components: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 24 }),
})

export const settingsView = Type.Object({
  finality: Type.Object({
    safeFromUsd: Type.Number({
      description: 'Receipts with this total or more count as paid once the payment is in a safe block.',
    }),
    finalFromUsd: Type.Number({
      description: 'Receipts with this total or more count as paid once the payment is in a finalized block.',
    }),
  }),
  taxRates: Type.Array(taxRateSetting),
  embedOrigins: Type.Array(Type.String(), {
    description: 'The origins whose pages may show the checkout in a frame.',
  }),
  updatedAt: unixMsOrNull('Null if the settings were never changed.'),
})

export const settingsResponse = Type.Object({ settings: settingsView })

export const settingsRequest = Type.Object({
  finality: Type.Optional(Type.Object({ safeFromUsd: usd, finalFromUsd: usd })),
  taxRates: Type.Optional(
    Type.Array(
      Type.Object({
        ...taxRateSetting.properties,
        components: Type.Optional(taxRateSetting.properties.components),
      }),
      { maxItems: 500 },
    ),
  ),
  embedOrigins: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: 20,
      description: 'For example `https://shop.example`; http for localhost only, and no wildcards.',
    }),
  ),
})

export const setSettingsResponse = Type.Object({ ok, settings: settingsView })

export type MemberKey = Static<typeof memberKey>
export type SubscriptionView = Static<typeof subscriptionView>
export type SettingsView = Static<typeof settingsView>
export type SettingsRequest = Static<typeof settingsRequest>
export type AuditEntryView = Static<typeof auditEntryView>
export type RequestView = Static<typeof requestView>
