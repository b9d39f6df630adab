/** The service as a program. It listens to signals before it loads anything, so that a stop at any moment is a clean one. */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => stopping.abort(new Error(signal)))
const { serve } = await import('./serve.ts')
await serve(process.env, stopping.signal)
