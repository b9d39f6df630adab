const browsers = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const

/**
 * Returns the browser and the operating system, such as `Firefox · Windows`, or `undefined` if both are
 * unknown.
 */
export function browserName(userAgent: string | null): string | undefined {
  const find = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([pattern]) => userAgent !== null && pattern.test(userAgent))?.[1]
  return [find(browsers), find(systems)].filter(Boolean).join(' · ') || undefined
}
