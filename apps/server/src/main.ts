/**
 * The service as a program. It listens for signals before it loads anything, so that it always stops cleanly.
 */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(new Error(signal)))
// A closed terminal accepts no output. That must not prevent the stop.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error
  })
const { serve } = await import('./serve.ts')
await serve(process.env, stopping.signal)
