/** Where the checkout of one receipt is asked. */
export type CheckoutAddress = { readonly page: string; readonly view: string; readonly attempts: string }

/**
 * What a payment URL points at, asked of the service at `baseUrl`, whatever host the URL names.
 *
 * @throws where it is no payment URL.
 */
export function readPaymentUrl(text: string, baseUrl: string): CheckoutAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const id = /^\/(?:portal|pay)\/([^/]+)$/.exec(url?.pathname ?? '')?.[1]
  if (!url || !id) throw new Error(`not a payment URL: ${text}`)
  const recipient = url.searchParams.get('recipient')
  const query = recipient === null ? '' : `?recipient=${encodeURIComponent(recipient)}`
  const view = `${baseUrl}/api/checkout/${id}`
  return { page: `${baseUrl}/pay/${id}${query}`, view: view + query, attempts: `${view}/attempts${query}` }
}
