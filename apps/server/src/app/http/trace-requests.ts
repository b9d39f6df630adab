import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, Tracer } from '../../platform/tracing/tracer.ts'

/** Makes each request a span; put on before the routes, so that their guards are a part of it. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  if (!tracer.isOn) return
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracer.request(request.headers)
    spans.set(request, span)
    span.run(done)
  })
  // Reading a body goes on in the socket's context, so the span is entered anew after it.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.run(done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    spans.get(request)?.end({
      name: `${request.method} ${route}`,
      status: reply.statusCode,
      'http.request.method': request.method,
      'http.route': route,
      'sluice.correlation_id': request.id,
    })
  })
}
