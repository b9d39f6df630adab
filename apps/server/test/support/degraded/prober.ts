import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('./probe-child.ts', import.meta.url))

/**
 * One answer of the probe: when it was asked for, after how long it came, how much of that neither prober nor service
 * stood in line for a processor, and its status or what went wrong.
 */
export type ProbeAnswer = {
  readonly at: number
  readonly ms: number
  readonly ownMs: number
  readonly status: number | string
}

/** What a prober found; `ownDelayMs` is the longest it was itself kept waiting for the processor. */
export type ProbeResult = { readonly answers: readonly ProbeAnswer[]; readonly ownDelayMs: number }

/** Asks `/healthz` of a service twenty times a second from a process of its own, until it is stopped. */
export async function startProber(baseUrl: string, folder: string, pid: number) {
  // The folder in its arguments ends it should the test die.
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
