import { hash } from 'node:crypto'

/** SHA-256 of what a receipt is made from: equal content has equal hashes, however it was spelled. */
export function hashContent(content: Readonly<Record<string, unknown>>): string {
  return hash('sha256', canonical(content), 'hex')
}

/** JSON with sorted keys and without what is undefined, bigint as text: one spelling for one content. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `"${value}n"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined)
  let text = ''
  for (const key of keys.sort()) {
    const name = /^\w+$/.test(key) ? `"${key}"` : JSON.stringify(key)
    text += `${text === '' ? '' : ','}${name}:${canonical(fields[key])}`
  }
  return `{${text}}`
}
