/** The service as a program. It listens to signals before it loads anything, so that a stop at any moment is a clean one. */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(new Error(signal)))
// A terminal that was closed takes no output. That must not end the stop.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
  })
const { serve } = await import('./serve.ts')
await serve(process.env, stopping.signal)
