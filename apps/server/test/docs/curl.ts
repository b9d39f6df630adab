import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanUpAfterUs } from '../support/programs/watchdog.ts'

/** The machine's curl, which runs the commands in documents, or a stand-in if curl is not installed. */
export const curl: { readonly name: string; readonly path: string } = findCurl()

function findCurl() {
  const path = process.env.PATH ?? ''
  if (path.split(delimiter).some((folder) => existsSync(join(folder, 'curl')))) return { name: 'curl', path }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-curl-'))
  cleanUpAfterUs(folder)
  const script = fileURLToPath(new URL('./curl-stand-in.ts', import.meta.url))
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
  chmodSync(join(folder, 'curl'), 0o755)
  return { name: 'a stand-in for curl, which this machine lacks', path: `${folder}${delimiter}${path}` }
}
