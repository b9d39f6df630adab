import { createHash } from 'node:crypto'

/** SHA-256 of what a receipt is made from: equal content has equal hashes, however it was spelled. */
export function hashContent(content: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonical(content)).digest('hex')
}

/** JSON with sorted keys and without what is undefined, bigint as text: one spelling for one content. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}n"`
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`
}
