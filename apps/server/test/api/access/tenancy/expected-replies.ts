import type { Role } from '@sluice/protocol/api/access.ts'
import { type Access, rolesWith } from '../../../../src/access/access.ts'
import type { Reply } from '../../../support/api/raw-requests.ts'
import type { Probe } from './probe.ts'

export type Sender = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly role?: Role | 'key'
}

const rejections = [400, 401, 403, 409, 410]

const statusesOf = {
  'not-found': [404],
  own: [200, 201, 301, 302, 400, 401],
  refused: rejections,
  // 202 is a request in progress, 402 contains the amount due, and 410 is an expired receipt.
  public: [200, 201, 202, 204, 402, 410],
} as const

/** Returns whether the sender may receive a response with this status. `access` is absent outside the API. */
export function isExpected(
  name: string,
  access: Access | undefined,
  { outcome }: Probe,
  sender: Sender,
  { status, text }: Reply,
): boolean {
  // Only the service's own pages may use the demo wallets. A proxy may not read metrics.
  if (/^POST \/local\/(merchant-)?wallet$/.test(name) && status === 403) return true
  if (name === 'GET /metrics' && status === 404) return true
  // An operator's session has no merchant.
  if (sender.role === 'operator' && status === 400 && text.includes('wallet_required')) return true
  const isAllowed = access ? mayCall(access, sender) : true
  if (isAllowed === false) return [401, 403, 400].includes(status)
  const expected: readonly number[] = statusesOf[outcome]
  return expected.includes(status) || (isAllowed === undefined && [...rejections, 404].includes(status))
}

/** Returns whether a route's access rule admits a sender, or `undefined` if the route decides later. */
function mayCall(access: Access, { role, headers }: Sender): boolean | undefined {
  // A wallet header without credentials is rejected even if public access is allowed.
  const isClaim = role === undefined && 'x-wallet' in headers
  if (isClaim && ['public', 'key-or-public', 'known-or-public'].includes(access.kind)) return false
  switch (access.kind) {
    case 'public':
    case 'known-or-public':
      return true
    case 'judged-later':
      return undefined
    case 'key':
      return role === 'key'
    case 'known':
      return role !== undefined
    case 'session':
      return role !== undefined && role !== 'key' && access.roles.includes(role)
    case 'key-or-public':
      if (role === undefined || role === 'key') return true
      return role !== 'operator' && rolesWith(access.scope).includes(role)
    case 'key-or-session':
      if (role === undefined || role === 'key') return role === 'key'
      return (access.roles ?? rolesWith(access.scope)).includes(role)
  }
}
