/** Returns the approximate size of a value as JSON, in bytes, without serializing it. Accepts bigint. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null) return 12
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + weigh(each) + 1, 2)
  let bytes = 2
  for (const [name, each] of Object.entries(value)) bytes += name.length + 4 + weigh(each)
  return bytes
}
