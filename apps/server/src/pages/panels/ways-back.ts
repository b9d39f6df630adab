import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'

type Site = { readonly isProduction: boolean }

/** The merchant's address to return to once it is paid, if it may be followed. */
export function returnUrl(view: CheckoutView, site: Site): string | undefined {
  return followable(view.returnUrl, site)?.href
}

/** The shop, for a buyer who does not want to pay now, if it may be followed: its address, and its host or its name. */
export function wayBack(view: CheckoutView, site: Site): { href: string; name: string } | undefined {
  const url = followable(view.shopUrl, site)
  return url && { href: url.href, name: url.pathname === '/' ? url.host : view.brandName }
}

/** https, or this machine in development; nothing that carries a name and a password. */
function followable(text: string | null, { isProduction }: Site): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal && !isProduction)
  return isFine && url.username === '' && url.password === '' ? url : undefined
}
