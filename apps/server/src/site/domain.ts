const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const form = new RegExp(`^(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

/** The host name in a text, in lower case and without the root's dot; `undefined` for addresses and single words. */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase().replace(/\.$/, '')
  return domain.length <= 253 && form.test(domain) ? domain : undefined
}
