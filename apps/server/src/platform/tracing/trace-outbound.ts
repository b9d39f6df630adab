import type { Outbound } from '../outbound/outbound.ts'
import type { Tracer } from './tracer.ts'

/**
 * Outbound HTTP each of whose requests is a span: `whole` for deliveries, which nobody waits for, `part` for what
 * a request asks of others. It names the host alone, since a path may hold a key.
 */
export function traceOutbound(tracer: Tracer, outbound: Outbound, as: 'whole' | 'part'): Outbound {
  if (!tracer.isOn) return outbound
  return {
    request: (request) =>
      tracer[as](
        `${request.method} ${hostOf(request.url)}`,
        { 'http.request.method': request.method, 'server.address': hostOf(request.url) },
        () => outbound.request(request),
      ),
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'unknown'
}
