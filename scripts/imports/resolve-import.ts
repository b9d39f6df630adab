import { posix } from 'node:path'

const workspaces: Readonly<Record<string, string>> = {
  '@sluice/protocol/': 'packages/protocol/src/',
  '@sluice/browser-wallet/': 'packages/browser-wallet/src/',
  '@sluice/sdk/': 'packages/sdk/src/',
  '@sluice/contracts/': 'contracts/',
}

/** The file of this repository an import names, or `undefined` for a package or a module of Node. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier))
  for (const [prefix, folder] of Object.entries(workspaces)) {
    if (specifier.startsWith(prefix)) return folder + specifier.slice(prefix.length)
  }
  return undefined
}
