// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nativeProgram } from '../tools/native-program.ts'

/** A private local chain. It ends when {@link Anvil.stop} is called or this process exits. */
export type Anvil = { url: string; stop: () => void }

const startTimeoutMs = 30_000

/** Starts anvil on a free port and waits until it listens. */
export async function startAnvil(): Promise<Anvil> {
  const anvil = spawn(nativeProgram('anvil'), ['--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => {
    process.off('exit', stop)
    anvil.kill('SIGKILL')
  }
  process.on('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

  try {
    const signal = AbortSignal.timeout(startTimeoutMs)
    for (let printed = ''; ; ) {
      const [chunk] = (await once(anvil.stdout, 'data', { signal })) as [Buffer]
      printed += chunk.toString()
      const address = /Listening on ([\d.]+:\d+)/.exec(printed)?.[1]
      if (address === undefined) continue
      anvil.stdout.resume()
      return { url: `http://${address}`, stop }
    }
  } catch (cause) {
    stop()
    throw new Error('anvil did not start', { cause })
  }
}
