import { describe, expect, test } from 'vitest'
import { nonPublicHosts, openOutbound, serve, watchLoopback } from '../../test/support/api/outbound.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Outbound, OutboundOutcome } from '../platform/outbound/outbound.ts'
import { fetchImage, imageTargets } from './fetch-image.ts'
import { imageLimits } from './image.ts'

function publicOutbound(addresses: readonly string[] = ['127.0.0.1']): Outbound {
  return openOutbound({ ...imageTargets, resolve: async () => addresses })
}

function redirecting(
  location: string,
  addresses?: readonly string[],
): { outbound: Outbound; asked: string[] } {
  const asked: string[] = []
  const real = publicOutbound(addresses)
  return {
    asked,
    outbound: {
      async request(request): Promise<OutboundOutcome> {
        asked.push(request.url)
        if (!request.url.startsWith('https://pictures.example/')) return real.request(request)
        return { kind: 'response', status: 302, headers: { location }, body: new Uint8Array() }
      },
    },
  }
}

const fetchBy = (outbound: Outbound, url: string) => fetchImage({ outbound, clock: systemClock }, url)

describe('what is not public', () => {
  test('is not connected to, in whatever spelling', async () => {
    const { port, connectionCount } = await watchLoopback()
    const outbound = publicOutbound()
    for (const host of nonPublicHosts)
      expect(await fetchBy(outbound, `https://${host}:${port}/logo.png`), host).toBe('refused')
    expect(connectionCount()).toBe(0)
  })

  test('is not reached by a redirect, in whatever spelling', async () => {
    const { port, connectionCount } = await watchLoopback()
    for (const host of nonPublicHosts) {
      const { outbound, asked } = redirecting(`https://${host}:${port}/`)
      expect(['refused', 'unreachable']).toContain(
        await fetchBy(outbound, 'https://pictures.example/logo.png'),
      )
      expect(asked.length).toBeLessThanOrEqual(2)
    }
    expect(connectionCount()).toBe(0)
  })

  test('is not reached by a name', async () => {
    const { port, connectionCount } = await watchLoopback()
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254'])
      expect(await fetchBy(publicOutbound([address]), `https://logo.example.com:${port}/`)).toBe('refused')
    expect(connectionCount()).toBe(0)
  })

  test('is not reached by a name that leads there beside a public address, or only the second time', async () => {
    const { port, connectionCount } = await watchLoopback()
    const mixed = publicOutbound(['1.1.1.1', '127.0.0.1'])
    expect(await fetchBy(mixed, `https://logo.example.com:${port}/`)).toBe('refused')
    // No host has the first address. A second lookup after validation would connect to the local server.
    const responses = [['2a00::1'], ['127.0.0.1']]
    const resolve = async () => responses.shift() ?? ['127.0.0.1']
    const turning = openOutbound({ ...imageTargets, resolve })
    expect(['refused', 'unreachable']).toContain(await fetchBy(turning, `https://logo.example.com:${port}/`))
    expect(await fetchBy(turning, `https://logo.example.com:${port}/`)).toBe('refused')
    expect(connectionCount()).toBe(0)
  })

  test.each([
    'http://example.com/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AA',
    'ftp://example.com/',
  ])('a redirect to %s ends there', async (location) => {
    // No host has this public address, so a URL that passes is unreachable.
    const { outbound } = redirecting(location, ['2a00::1'])
    expect(await fetchBy(outbound, 'https://pictures.example/')).toBe('refused')
  })
})

describe('redirects', () => {
  test('are followed a few times, then no more', async () => {
    let asked = 0
    const url = await serve((_, response) => response.writeHead(302, { location: `/${++asked}` }).end())
    expect(await fetchBy(openOutbound(), url)).toBe('refused')
    expect(asked).toBe(imageLimits.redirects + 1)
  })

  test('lead to the picture', async () => {
    const url = await serve((request, response) =>
      request.url === '/logo'
        ? response.writeHead(301, { location: '/real' }).end()
        : response.end('the bytes'),
    )
    expect(Buffer.from(await fetchBy(openOutbound(), `${url}/logo`)).toString()).toBe('the bytes')
  })
})

describe('a server that takes its time or too much room', () => {
  test('a body that comes by drops has five seconds', async () => {
    const clock = new TestClock()
    let dropped = 0
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write('.') && dropped++, 5)
      response.on('close', () => clearInterval(timer))
    })
    const fetching = fetchImage({ outbound: openOutbound({}, clock), clock }, url)
    await expect.poll(() => dropped).toBeGreaterThan(3)
    await clock.advance(imageLimits.fetchMs)
    expect(await fetching).toBe('unreachable')
  })

  test('a body beyond the limit is cut off', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(imageLimits.bytes + 1)))
    expect(await fetchBy(openOutbound(), url)).toBe('too-large')
  })

  test('huge headers are not read', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'x-much': 'a'.repeat(200_000) }).end('x'),
    )
    expect(await fetchBy(openOutbound(), url)).toBe('unreachable')
  })

  test.each([204, 403, 404, 500])('an answer with status %s is none', async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end())
    expect(await fetchBy(openOutbound(), url)).toBe('unreachable')
  })

  test('is told nothing of us but that we take pictures', async () => {
    let headers: Record<string, unknown> = {}
    const url = await serve((request, response) => {
      headers = request.headers
      response.end('x')
    })
    await fetchBy(openOutbound(), url)
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })
})
