import type { TextKey } from '../messages/catalogue.ts'
import type { Session } from '../session/log-in.ts'

export type Role = Session['role']

/** Roles that may read the merchant's data and its event stream. */
export const readers: readonly Role[] = ['owner', 'admin', 'developer', 'viewer']

/**
 * Sections in navigation order, with the roles that the service permits.
 *
 * A screen belongs to the section whose path is a prefix of the screen's path.
 */
export const sections = [
  { to: '/overview', key: 'nav.overview', roles: readers },
  { to: '/receipts', key: 'nav.receipts', roles: [...readers, 'cashier'] },
  { to: '/refunds', key: 'nav.refunds', roles: readers },
  { to: '/unmatched', key: 'nav.unmatched', roles: readers },
  { to: '/products', key: 'nav.products', roles: readers },
  { to: '/orders', key: 'nav.orders', roles: readers },
  { to: '/terminal', key: 'nav.terminal', roles: ['owner', 'admin', 'cashier'] },
  { to: '/split', key: 'nav.split', roles: readers },
  { to: '/shop', key: 'nav.shop', roles: readers },
  { to: '/site', key: 'nav.site', roles: ['operator'] },
  { to: '/developers', key: 'nav.developers', roles: ['owner', 'admin', 'developer'] },
  { to: '/team', key: 'nav.team', roles: ['owner'] },
  { to: '/security', key: 'nav.security', roles: [...readers, 'operator'] },
  { to: '/settings', key: 'nav.settings', roles: readers },
] as const satisfies readonly { to: string; key: TextKey; roles: readonly Role[] }[]

type Section = (typeof sections)[number]

export function sectionsOf(role: Role): readonly Section[] {
  return sections.filter(({ roles }) => (roles as readonly Role[]).includes(role))
}

export function sectionAt(path: string): Section | undefined {
  return sections.find(({ to }) => path === to || path.startsWith(`${to}/`))
}
