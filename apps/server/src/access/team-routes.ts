import {
  auditList,
  auditQuery,
  type MemberKey,
  memberList,
  removeMemberRequest,
  removeMemberResponse,
  requestList,
  requestQuery,
  type Scope,
  setMemberRequest,
  setMemberResponse,
} from '@sluice/protocol/api/access.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { listMembers } from '../merchants/member-store.ts'
import { removeMember, setMember } from '../merchants/set-member.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import { scopesOfRole } from './access.ts'
import { appendAudit } from './audit/append-audit.ts'
import { listAudit, viewAuditEntry } from './audit/list-audit.ts'
import { listRequests } from './audit/list-requests.ts'
import { actorOf, type Caller, merchantOf, sessionOf } from './caller.ts'
import { settleMemberKeys } from './keys/settle-member-keys.ts'
import { type Route, route } from './route.ts'

export type TeamNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
}

const owners = { kind: 'session', roles: ['owner'] } as const
const owning = { ...owners, isFresh: true } as const
const walletQuery = Type.Object({ wallet: Type.Optional(Type.String({ maxLength: 42 })) })

export function teamRoutes(needs: TeamNeeds): Route[] {
  return [
    listMembersRoute(needs),
    setMemberRoute(needs),
    removeMemberRoute(needs),
    listAuditRoute(needs),
    listRequestsRoute(needs),
  ]
}

function listMembersRoute({ db }: TeamNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/members',
    access: owners,
    description: 'List members.',
    responses: { 200: memberList },
    async handle({ caller }) {
      return { status: 200, body: { members: await listMembers(db, merchantOf(caller)) } }
    },
  })
}

function setMemberRoute(needs: TeamNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'POST',
    path: '/api/members',
    access: owning,
    limit: 'configWrites',
    description: "Add a member or change a member's role.",
    body: setMemberRequest,
    responses: { 200: setMemberResponse, 201: setMemberResponse },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      const wallet = readWallet(body.wallet)
      const { member, before, keys } = await db.transaction(async (tx) => {
        const set = await setMember({ db: tx, clock }, merchant, { wallet, role: body.role })
        const keys =
          set.before && (await settleKeys({ tx, clock }, caller, wallet, body, scopesOfRole[body.role]))
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: set.before ? 'member.changed' : 'member.added',
            subject: wallet,
            details: { role: body.role, ...(set.before && { before: set.before.role }), ...idsOf(keys) },
            correlationId,
          },
        )
        return { ...set, keys }
      })
      return { status: before ? 200 : 201, body: { ok: true, member, ...keys } }
    },
  })
}

function removeMemberRoute(needs: TeamNeeds): Route {
  const { db, clock } = needs
  return route({
    method: 'DELETE',
    path: '/api/members',
    access: owning,
    limit: 'configWrites',
    description:
      "Remove a member. Ends the member's sessions and revokes the keys the member created, except those in `keepSubscriptions`. " +
      'Send the wallet in the query or in the body.',
    query: walletQuery,
    body: removeMemberRequest,
    responses: { 200: removeMemberResponse },
    document: { apiErrors: ['not_found'] },
    async handle({ caller, query, body, correlationId }) {
      const merchant = merchantOf(caller)
      const wallet = readWallet(query.wallet ?? body?.wallet)
      if (body?.wallet !== undefined && readWallet(body.wallet) !== wallet)
        throw invalidInput({ path: 'wallet', message: 'differs between the query and the body' })
      const keys = await db.transaction(async (tx) => {
        const member = await removeMember({ db: tx, clock }, merchant, wallet)
        const settled = await settleKeys({ tx, clock }, caller, wallet, body, 'none')
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'member.removed',
            subject: wallet,
            details: { role: member.role, ...idsOf(settled) },
            correlationId,
          },
        )
        return settled
      })
      return { status: 200, body: { ok: true, ...keys } }
    },
  })
}

function listAuditRoute({ db }: TeamNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/audit',
    access: { kind: 'session', roles: ['owner', 'admin', 'operator'] },
    description: 'List audit log entries. Newest first. An operator reads the log of the platform.',
    query: auditQuery,
    responses: { 200: auditList },
    async handle({ caller, query }) {
      const { entries, nextCursor } = await listAudit(db, sessionOf(caller).merchant ?? 'platform', query)
      return { status: 200, body: { entries: entries.map(viewAuditEntry), nextCursor } }
    },
  })
}

function listRequestsRoute({ db }: TeamNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/requests',
    access: { kind: 'session', roles: ['owner', 'admin', 'developer'] },
    description:
      'List API requests. Returns the requests of the last 30 days, newest first: all requests with keys, and the writes of sessions. To filter by a key or a subscription, send `key`.',
    query: requestQuery,
    responses: { 200: requestList },
    async handle({ caller, query }) {
      return { status: 200, body: await listRequests(db, merchantOf(caller), query) }
    },
  })
}

function settleKeys(
  { tx, clock }: { tx: Database; clock: Clock },
  caller: Caller,
  wallet: Wallet,
  body: { readonly keepSubscriptions?: readonly string[] } | undefined,
  mayGive: readonly Scope[] | 'none',
) {
  return settleMemberKeys(tx, merchantOf(caller), {
    wallet,
    mayGive,
    keep: body?.keepSubscriptions ?? [],
    by: sessionOf(caller).wallet,
    at: clock.now(),
  })
}

function idsOf(keys: { revokedKeys: readonly MemberKey[]; keptKeys: readonly MemberKey[] } | undefined) {
  if (!keys || keys.revokedKeys.length + keys.keptKeys.length === 0) return {}
  const names = (list: readonly MemberKey[]) => list.map(({ id }) => id)
  return { revokedKeys: names(keys.revokedKeys), keptKeys: names(keys.keptKeys) }
}

function readWallet(text: string | undefined) {
  const wallet = parseWallet(text)
  if (wallet) return wallet
  throw invalidInput({ path: 'wallet', message: 'must be 0x followed by 40 hexadecimal digits' })
}
