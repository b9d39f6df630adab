import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('./probe-child.ts', import.meta.url))

export type ProbeResponse = {
  readonly at: number
  readonly ms: number
  readonly ownMs: number
  readonly status: number | string
}

/** Results of a prober. `ownDelayMs` is the longest delay of the prober's own event loop. */
export type ProbeResult = { readonly responses: readonly ProbeResponse[]; readonly ownDelayMs: number }

/** Requests `/healthz` twenty times a second from another process until it is stopped. */
export async function startProber(baseUrl: string, folder: string, pid: number) {
  // The watchdog finds the process by the folder in its arguments.
  const child = spawn(process.execPath, [script, `${baseUrl}/healthz`, String(pid), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await once(child.stdout, 'data')
  return {
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'close')
      return JSON.parse(said.slice(said.indexOf('\n') + 1)) as ProbeResult
    },
  }
}
