/** A file in a tarball or in the image context. */
export type ReleaseFile = { readonly path: string; readonly text: string }

/** Files that a package may contain. */
export const packageFiles =
  /^(package\.json|README\.md|LICENSE|THIRD_PARTY_NOTICES\.md|dist\/[\w./-]+\.(js|js\.map|d\.ts))$/
/** Files that the image context may contain. */
export const contextFiles =
  /^((apps|contracts|docs|packages|scripts|deploy)\/.+|\.npmrc|package(-lock)?\.json|LICENSE|THIRD_PARTY_NOTICES\.md)$/

const secretPaths = /(^|\/)(\.env|id_\w+|[\w.-]+\.(pem|key|p12))$|^(data|deploy\/secrets)\//
const secretTexts = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bsk_live_[A-Za-z0-9_-]{20,}/,
  /\b(npm_|gh[oprsu]_)[A-Za-z0-9]{36}\b/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /:_authToken=(?!\$)/,
]

/** Returns an error for each file that must not be published. */
export function checkFiles(files: readonly ReleaseFile[], allowed: RegExp): string[] {
  return files.flatMap(({ path, text }) => [
    ...(allowed.test(path) ? [] : [`${path} is not in the list of files`]),
    ...(secretPaths.test(path) || secretTexts.some((secret) => secret.test(text))
      ? [`${path} can contain a secret`]
      : []),
  ])
}

/** Returns an error for each missing document. Notices are required if a bundle contains other packages. */
export function checkDocuments(files: readonly ReleaseFile[]): string[] {
  const isBundle = ({ path, text }: ReleaseFile) => path.endsWith('.js.map') && text.includes('node_modules/')
  const required = ['LICENSE', 'README.md', ...(files.some(isBundle) ? ['THIRD_PARTY_NOTICES.md'] : [])]
  return required
    .filter((name) => !files.some(({ path }) => path === name))
    .map((name) => `${name} is missing`)
}

/** Returns the version's heading in the changelog and the text below it, or `undefined`. */
export function readNotes(
  changelog: string,
  version: string,
): { heading: string; notes: string } | undefined {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.match(/^\[?([^\s\]]+)/)?.[1] === version)
  if (section === undefined) return undefined
  const [heading = '', ...lines] = section.split('\n')
  return { heading, notes: `${lines.join('\n').trim()}\n` }
}

/** Returns whether `.dockerignore` excludes a path. */
export function isIgnored(path: string, rules: readonly string[]): boolean {
  return rules.some((rule) => {
    if (rule.startsWith('**/*')) return path.endsWith(rule.slice(4))
    if (rule.startsWith('**/')) return path.split('/').includes(rule.slice(3))
    return path === rule || path.startsWith(`${rule}/`)
  })
}
